/**
 * A Worker that calls a method of a Durable Object as the hub does, or asks the hub's database; a request names object and
 * method, or has the SQL. Miniflare's own objects block this process until workerd answers, and a workerd that has much to
 * print waits for this process to read it.
 */
export const driver = `export default {
  async fetch(request, env) {
    const { sql, values, binding, object, method, args } = await request.json()
    if (sql !== undefined) return Response.json((await env.DB.prepare(sql).bind(...values).all()).results)
    return Response.json((await env[binding].getByName(object)[method](...args)) ?? null)
  }
}`

/** Calls methods of one object through the {@link driver} at `url`. */
export const driverOf =
  (url: URL, binding: string, object: string) =>
  <T>(method: string, ...args: unknown[]): Promise<T> =>
    ask(url, { binding, object, method, args })

/** Rows of the hub's database, through the {@link driver} at `url`. */
export const queryThrough = <T>(url: URL, sql: string, values: readonly unknown[]): Promise<T> =>
  ask(url, { sql, values })

async function ask<T>(url: URL, body: object): Promise<T> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as T
}
