import Model
import SimulatedOS
import Store
import Timeline

package typealias StoreFlaw = Store.StoreFlaw
