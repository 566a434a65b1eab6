import Injection
import RebindMacros

@Annotated(group: "injection", key: "Chicken")
final class Chicken: Injectable {
  let egg: Egg

  init(from injector: Injector) throws { egg = try injector.get() }
}

@Annotated(group: "injection", key: "Egg")
final class Egg: Injectable {
  let chicken: Chicken

  init(from injector: Injector) throws { chicken = try injector.get() }
}
