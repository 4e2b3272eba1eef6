type Namespace = Pick<DurableObjectNamespace, 'get'>

const used = new Map<string, () => DurableObjectStub>()

/** A class whose objects are recorded when they are made. */
export const recorded = <Class extends new (ctx: DurableObjectState, ...others: never[]) => object>(
  made: Class,
  namespace: Namespace,
): Class =>
  new Proxy(made, {
    construct(target, args, called) {
      const { id } = args[0] as DurableObjectState
      used.set(String(id), () => namespace.get(id))
      return Reflect.construct(target, args, called)
    },
  })

/** Objects that were made since this was last called. */
export function takeUsed(): DurableObjectStub[] {
  const taken = [...used.values()].map((stub) => stub())
  used.clear()
  return taken
}
