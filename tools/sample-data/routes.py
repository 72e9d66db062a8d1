"""Routes through Berlin. A waypoint is the id of a place or `latitude,longitude`."""

# Routes of the family. The café, bench, hedge and parking space are so close to a geofence's boundary that inaccurate fixes cross it.
BEN_PARKING = "52.49284,13.4168"
BEN_CAFE = "52.52956,13.4166"
ANNA_BENCH = "52.51006,13.4072"
DOG_HEDGE = "52.5285,13.43188"
NINA_BED = "52.47776,13.4302"

HOME_ANNA_TO_SCHOOL = "52.5368,13.4240 school"
SENEFELDERPLATZ_TO_HOME_ANNA = "52.5330,13.4185 52.5345,13.4240 home-anna"
HOME_BEN_TO_WORK = """
    52.4968,13.4137 52.5055,13.4137 52.5080,13.4190 jannowitzbruecke 52.5190,13.4215 52.5250,13.4205 office-ben
"""
WORK_TO_HOME_BEN = """
    52.5250,13.4205 52.5190,13.4215 jannowitzbruecke 52.5080,13.4190 52.5055,13.4137 52.4968,13.4137 home-ben
"""
SCHOOL_TO_FOOTBALL = "52.5425,13.4160 52.5440,13.4130 football"
HOME_BEN_TO_FOOTBALL = """
    52.4968,13.4137 52.5055,13.4137 52.5085,13.4225 52.5133,13.4240 52.5190,13.4225 52.5250,13.4215 52.5290,13.4235
    52.5370,13.4235 52.5405,13.4225 52.5420,13.4150 52.5445,13.4125 football
"""
FOOTBALL_TO_HOME_ANNA = "52.5445,13.4125 52.5420,13.4150 52.5405,13.4225 52.5370,13.4235 home-anna"
HOME_ANNA_TO_PARKING = f"""
    52.5370,13.4235 52.5290,13.4235 52.5250,13.4215 52.5190,13.4225 52.5133,13.4240 52.5085,13.4225 52.5055,13.4137
    52.4968,13.4137 {BEN_PARKING}
"""
HOME_ANNA_TO_MEADOW = "52.5310,13.4255 52.5290,13.4272 dog-run"
MEADOW_TO_HOME_ANNA = "52.5290,13.4272 52.5310,13.4255 home-anna"

# By train, underground, tram and bus.
RINGBAHN = """
    westkreuz messe-nord westend jungfernheide beusselstrasse westhafen wedding gesundbrunnen schoenhauser-allee
    prenzlauer-allee greifswalder-strasse landsberger-allee storkower-strasse frankfurter-allee ostkreuz treptower-park
    sonnenallee neukoelln hermannstrasse tempelhof suedkreuz schoeneberg innsbrucker-platz bundesplatz heidelberger-platz
    hohenzollerndamm halensee
"""
BUS_100 = """
    breitscheidplatz 52.5065,13.3370 52.5095,13.3430 52.5120,13.3480 grosser-stern 52.5165,13.3520 schloss-bellevue hkw
    platz-der-republik reichstag 52.5172,13.3790 brandenburger-tor unter-den-linden staatsbibliothek bebelplatz
    52.5185,13.3990 berliner-dom rotes-rathaus-u fernsehturm alexanderplatz
"""
TRAM_M10 = """
    hauptbahnhof 52.5283,13.3700 invalidenpark naturkundemuseum nordbahnhof berliner-mauer bernauer-strasse 52.5405,13.4075
    eberswalder-strasse 52.5413,13.4200 52.5398,13.4290 52.5370,13.4370 52.5320,13.4440 52.5285,13.4490 52.5240,13.4530
    52.5200,13.4560 frankfurter-tor 52.5110,13.4520 warschauer-strasse
"""

# On wheels.
PARCEL_STOPS = """
    westhafen-markt bht leopoldplatz schillerpark osloer-strasse pankow buergerpark-pankow bornholmer-strasse helmholtzplatz
    planetarium ernst-thaelmann-park velodrom boxhagener-platz uber-arena markthalle-neun
"""
COURIER_STOPS = """
    kochstrasse checkpoint-charlie gendarmenmarkt friedrichstrasse charite-mitte naturkundemuseum rosenthaler-platz
    volksbuehne alexanderplatz spittelmarkt moritzplatz hallesches-tor gleisdreieck potsdamer-platz
"""
MOABIT_TO_BER = """
    52.5180,13.3300 52.5130,13.3200 kaiserdamm theodor-heuss-platz messe-nord 52.4990,13.2850 heidelberger-platz
    52.4750,13.3700 tempelhof 52.4650,13.4200 52.4560,13.4500 52.4370,13.4700 rudow 52.3950,13.4950 ber
"""
BER_TO_ZOO = """
    52.3950,13.4950 52.4300,13.4700 52.4560,13.4500 tempelhof suedkreuz bayerischer-platz wittenbergplatz zoologischer-garten
"""
AVUS = "wannsee nikolassee 52.4390,13.2050 52.4600,13.2280 52.4800,13.2500 52.4960,13.2700 funkturm"
A100 = """
    52.5000,13.2850 rathenauplatz hohenzollerndamm heidelberger-platz 52.4770,13.3250 innsbrucker-platz 52.4740,13.3650
    tempelhof 52.4650,13.4000 52.4620,13.4200
"""
WALL_TRAIL = """
    bornholmer-strasse 52.5470,13.4000 52.5430,13.4020 berliner-mauer nordbahnhof 52.5290,13.3720 hauptbahnhof
    platz-der-republik brandenburg-gate potsdamer-platz topographie-des-terrors checkpoint-charlie moritzplatz
    52.5060,13.4200 mariannenplatz ostbahnhof east-side-gallery oberbaumbruecke schlesisches-tor arena-treptow treptower-park
"""
TO_THE_WANNSEE = """
    charlottenburg westkreuz heerstrasse mommsenstadion s-olympiastadion 52.5000,13.2150 52.4850,13.2000 grunewaldturm
    52.4600,13.1920 strandbad-wannsee nikolassee wannsee
"""
NORTHWEST = """
    s-olympiastadion olympiastadion olympia-stadion-u ruhleben 52.5310,13.2180 spandau rathaus-spandau 52.5385,13.2055
    zitadelle-spandau zitadelle-u 52.5370,13.2480 52.5400,13.2720 volkspark-jungfernheide jungfernheide
    schlossgarten-charlottenburg schloss-charlottenburg
"""

# On foot.
UNTER_DEN_LINDEN = """
    grosser-stern 52.5155,13.3620 brandenburg-gate pariser-platz unter-den-linden humboldt-universitaet bebelplatz staatsoper
    gendarmenmarkt hausvogteiplatz humboldt-forum berliner-dom
"""
STROLL = """
    unter-den-linden bebelplatz humboldt-universitaet historisches-museum 52.5187,13.3994 berliner-dom ddr-museum
    rotes-rathaus fernsehturm alexanderplatz
"""
KREUZBERG = """
    mehringdamm viktoriapark chamissoplatz marheinekeplatz suedstern 52.4935,13.4135 tuerkenmarkt kottbusser-tor oranienplatz
    mariannenplatz markthalle-neun goerlitzer-bahnhof 52.4972,13.4370 schlesisches-tor
"""
GRUNEWALD = """
    52.4890,13.2560 52.4950,13.2480 teufelsberg 52.4938,13.2330 52.4936,13.2262 52.4900,13.2180 52.4780,13.2000 grunewaldturm
    52.4700,13.2000 52.4520,13.2050 52.4430,13.2130 52.4425,13.2190 52.4431,13.2160 s-schlachtensee
"""
TIERGARTEN_LAP = """
    52.5120,13.3560 52.5105,13.3650 52.5140,13.3740 52.5160,13.3640 52.5146,13.3530 grosser-stern 52.5145,13.3450
    52.5120,13.3420
"""
TEMPELHOF_LAP = "52.4720,13.4000 52.4718,13.4120 52.4750,13.4050 52.4775,13.4140 52.4790,13.4000 52.4760,13.3920"
MARATHON = """
    grosser-stern ernst-reuter-platz 52.5200,13.3250 turmstrasse 52.5235,13.3600 hauptbahnhof 52.5240,13.3850
    friedrichstadt-palast rosenthaler-platz rosa-luxemburg-platz alexanderplatz strausberger-platz jannowitzbruecke
    heinrich-heine-strasse moritzplatz kottbusser-tor hermannplatz suedstern 52.4913,13.3954 yorckstrasse 52.4880,13.3600
    schoeneberg innsbrucker-platz friedenau 52.4660,13.3150 52.4690,13.2900 heidelberger-platz fehrbelliner-platz
    olivaer-platz kurfuerstendamm breitscheidplatz wittenbergplatz nollendorfplatz 52.5037,13.3747 potsdamer-platz
    gendarmenmarkt spittelmarkt bebelplatz unter-den-linden brandenburg-gate 52.5155,13.3710
"""
EASTERN_SPREE = """
    molecule-man arena-treptow 52.4995,13.4500 oberbaumbruecke warschauer-strasse uber-arena east-side-gallery ostbahnhof
"""
FRIEDRICHSHAIN_ERRAND = """
    kottbusser-tor mariannenplatz markthalle-neun lausitzer-platz goerlitzer-bahnhof 52.4968,13.4376 schlesisches-tor
    oberbaumbruecke
"""
KREUZBERG_ERRAND = """
    suedstern volkspark-hasenheide hermannplatz tuerkenmarkt kottbusser-tor oranienplatz moritzplatz juedisches-museum
    checkpoint-charlie topographie-des-terrors potsdamer-platz
"""

# On the water.
SPREE = """
    52.5209,13.3975 52.5223,13.3940 52.5210,13.3870 52.5206,13.3780 52.5213,13.3700 hkw 52.5185,13.3600 schloss-bellevue
    52.5205,13.3450 52.5180,13.3400 52.5180,13.3600 52.5213,13.3700 52.5206,13.3780 52.5223,13.3940 52.5209,13.3985
    52.5180,13.4045 52.5150,13.4120 jannowitzbruecke 52.5110,13.4300 east-side-gallery oberbaumbruecke molecule-man
"""
TEGELER_SEE = """
    52.5870,13.2780 52.5860,13.2680 52.5840,13.2600 52.5815,13.2570 52.5780,13.2560 52.5750,13.2480 52.5730,13.2405
    52.5710,13.2350 52.5700,13.2450 52.5745,13.2600 52.5800,13.2660 52.5860,13.2750
"""
MUEGGELSEE = """
    52.4480,13.6280 52.4450,13.6380 52.4400,13.6600 52.4300,13.6700 52.4280,13.6500 52.4330,13.6350 52.4430,13.6500
    52.4475,13.6600 52.4400,13.6800 52.4350,13.6600 52.4440,13.6320 friedrichshagen
"""
LIETZENSEE = "52.5048,13.2875 52.5055,13.2882 52.5069,13.2885 52.5085,13.2888 52.5098,13.2882 52.5080,13.2890 52.5055,13.2874"
