import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDatabaseFailure } from '../../data-dir/database.ts'
import { isDiskFailure } from '../../data-dir/disk-failure.ts'
import { RunAbandoned } from '../execution/execution-queue.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { outsideAddress } from './addresses.ts'
import { sendAnswer } from './answers.ts'
import { ApiError, unavailable } from './api-error.ts'
import { BodyBudget, type BodyShare, checkContentType, hasBody, readBody } from './body.ts'
import type { Credentials } from './credentials.ts'
import type { HostCheck } from './own-host.ts'
import type { Answer, Route } from './route.ts'
import { createRouter } from './router.ts'
import { readQuery, readTarget } from './target.ts'

const bodyBytesMax = 64 * 1024 * 1024
/**
 * Routes that take larger bodies have a budget of their own. A signature can be checked only after the whole body, so a caller
 * that names a key of another can fill this budget, and must not block the other routes.
 */
const usualBodyBytesMax = 16 * 1024 * 1024
/** After how long a disk may have been mended. */
const retrySeconds = 10

export interface HandlerOptions {
  readonly routes: readonly Route[]
  /** Held against every request before anything else is read of it. */
  readonly checkHost: HostCheck
  readonly credentials: Credentials
  readonly log: Log
  readonly metrics: Metrics
}

interface Arrival {
  readonly request: IncomingMessage
  readonly requestId: string
  /** Aborted when the answer is sent, or its caller is gone. */
  readonly signal: AbortSignal
  /** Has a caller that waits for leave to send its body. */
  readonly askForBody: () => void
}

/** Handles requests; `answer` has the steps, in order. @param isClosing Whether connections take no further request. */
export function createHandler(
  { routes, checkHost, credentials, log, metrics }: HandlerOptions,
  isClosing: () => boolean,
) {
  const find = createRouter(routes)
  const budgets = { usual: new BodyBudget(bodyBytesMax), large: new BodyBudget(bodyBytesMax) }
  const labels = ['route', 'method', 'status']
  const requests = metrics.counter('http_requests_total', 'Requests by route, method and status', labels)

  const findRoute = (method: string, path: string) => {
    const found = find(method, path)
    if (found.status === 'nothing') throw new ApiError('not_found', `${path} does not exist.`)
    if (found.status === 'other_method') throw otherMethod(path, method, found.allowed)
    return found
  }

  const answer = async (arrival: Arrival, reached: (route: Route) => void): Promise<Answer> => {
    const { request, requestId, signal } = arrival
    const { method = '', url = '' } = request
    checkHost(request)
    const { path, search } = readTarget(url)
    const { route, params } = findRoute(method, path)
    reached(route)
    const claim = credentials.readClaim(request, route.access)
    const query = readQuery(search, route.query ?? [])
    const isLarge = (route.body?.bytesMax ?? 0) > usualBodyBytesMax
    const budget = isLarge ? budgets.large : budgets.usual
    const share = budget.open(claim.kind === 'operator' ? null : outsideAddress(request.socket))
    const body = await readBodyOf(arrival, route, share)
    const caller = credentials.prove(request, claim, body)
    share.prove()
    return route.handle({ method, params, query, body, caller, requestId, signal })
  }

  /** Answers a request, whatever becomes of it. */
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    askForBody: () => void,
  ): Promise<void> => {
    const requestId = randomUUID()
    const over = new AbortController()
    response.once('close', () => over.abort())
    request.socket.setTimeout(0)
    let routePath = 'none'
    const arrival = { request, requestId, signal: over.signal, askForBody }
    const made = await answer(arrival, ({ path }) => {
      routePath = path
    }).catch((error) => errorAnswer(error, requestId, log))
    if (over.signal.aborted) return
    requests.add(1, routePath, knownMethod(request.method), String(made.status))
    log.debug('request answered', { request_id: requestId, route: routePath, status: made.status })
    try {
      await sendAnswer(request, response, made, isClosing())
    } catch (error) {
      // The head is sent, so nothing but a broken connection can say that the rest is missing.
      log.error('an answer broke off', { request_id: requestId, route: routePath, reason: String(error) })
      response.destroy()
    }
  }
}

/** The body as far as the route takes one, held until the request is over. */
async function readBodyOf(
  { request, signal, askForBody }: Arrival,
  { body }: Route,
  share: BodyShare,
): Promise<Uint8Array> {
  if (body === undefined) {
    if (hasBody(request)) throw new ApiError('bad_request', 'This call takes no body.')
    return new Uint8Array()
  }
  checkContentType(request, body.contentType)
  const bytes = await readBody(request, body.bytesMax, share, askForBody)
  if (signal.aborted) share.release()
  else signal.addEventListener('abort', share.release, { once: true })
  return bytes
}

const otherMethod = (path: string, method: string, allowed: readonly string[]): ApiError =>
  new ApiError('bad_request', `${path} does not take ${method}; it takes ${allowed.join(', ')}.`, {
    status: 405,
    headers: { Allow: allowed.join(', ') },
  })

function errorAnswer(error: unknown, requestId: string, log: Log): Answer {
  const known = error instanceof ApiError ? error : faultOf(error)
  // Nobody is left to be told of an execution whose caller went away.
  if (known !== error && !(error instanceof RunAbandoned))
    log.error('a request failed', {
      request_id: requestId,
      reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  return { status: known.status, headers: known.headers, body: known.envelope(requestId) }
}

/** A disk that is full or fails, and a database that another program holds: nothing was kept, and nothing was promised. */
function faultOf(error: unknown): ApiError {
  if (isDatabaseFailure(error) || isDiskFailure(error))
    return unavailable('The node cannot use its data directory at the moment. Try again later.', retrySeconds)
  return new ApiError('internal', 'The node failed with an internal error. Report it with the request_id.')
}

/** A label that callers cannot make up. */
const knownMethod = (method: string | undefined): string =>
  method !== undefined && ['GET', 'HEAD', 'POST', 'PUT'].includes(method) ? method : 'other'
