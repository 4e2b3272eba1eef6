/** Services of the platform for an object, besides its storage. */
export interface ObjectContext {
  /** The object of a class and a name, whose methods are called over the network. */
  readonly object: (
    className: string,
    name: string,
  ) => Record<string, (...args: unknown[]) => Promise<unknown>>
  /** Calls something outside as soon as all writes so far are durable. The call settles only while the process of the object runs. */
  readonly outside: <T>(call: (isAlive: () => boolean) => Promise<T>) => Promise<T>
  /** Another one for each process. */
  readonly processId: string
}

export type ObjectClass = (state: DurableObjectState, name: string, context: ObjectContext) => object
