print("picket")
