/** A Worker that calls a method of a Durable Object as the hub does; a request names object and method. */
export const driver = `export default {
  async fetch(request, env) {
    const { binding, object, method, args } = await request.json()
    return Response.json((await env[binding].getByName(object)[method](...args)) ?? null)
  }
}`

/** Calls methods of one object through the {@link driver} at `url`. */
export const driverOf =
  (url: URL, binding: string, object: string) =>
  async <T>(method: string, ...args: unknown[]): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ binding, object, method, args }),
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as T
  }
