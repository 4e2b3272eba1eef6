import { HubError } from './hub-error.ts'

/** What a call of the typed client gives. */
export type Answer<T> = Promise<{ data?: T; error?: unknown; response: Response }>

/** The body of a successful answer. @throws {@link HubError} with what the hub says against the call. */
export async function unwrap<T>(answer: Answer<T>): Promise<T> {
  const { data, error, response } = await answer
  if (response.ok) return data as T
  throw refusal(response, error)
}

/** As {@link unwrap}, but null where the hub answers 404. */
export async function unwrapIfFound<T>(answer: Answer<T>): Promise<T | null> {
  return (await answer).response.status === 404 ? null : unwrap(answer)
}

/** Whether a body has the form in which a hub refuses. */
export const isRefusal = (body: unknown): body is { error: string; message: string } =>
  typeof (body as { error?: unknown } | null)?.error === 'string'

function refusal({ url, status }: Response, body: unknown): HubError {
  // A proxy between here and the hub answers in a form of its own.
  const reason = isRefusal(body) ? ` ${body.error}: ${body.message}` : `: ${JSON.stringify(body)}`
  return new HubError(`${new URL(url).pathname} answered ${status}${reason}`)
}
