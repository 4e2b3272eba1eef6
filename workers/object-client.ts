import { unavailable } from './errors.ts'

/**
 * A client with some methods of a Durable Object's class. Calls of an object that cannot be reached throw 503 `unavailable`, which names the
 * `part`. @param stub - Asked for at each call: one that failed is of no further use.
 */
export function objectClient<Calls extends object>(
  part: string,
  stub: () => unknown,
  methods: readonly (keyof Calls)[],
): Calls {
  const call = async (method: keyof Calls, args: unknown[]): Promise<unknown> => {
    try {
      // A stub answers every name that its class has, and its types do not say so without end.
      // biome-ignore lint/plugin/noSpreadArguments: The arguments of one method.
      return await (stub() as Record<keyof Calls, (...args: unknown[]) => Promise<unknown>>)[method](...args)
    } catch (error) {
      throw unavailable(part, error)
    }
  }
  return Object.fromEntries(
    methods.map((method) => [method, (...args: unknown[]) => call(method, args)]),
  ) as Calls
}
