import * as z from 'zod'
import type { Action } from '../../protocol/actions/index.ts'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import type { HubContext } from '../context.ts'
import { json } from '../http/answer.ts'
import { defineRoute, type Route, type RouteDeclaration } from '../route.ts'
import { defaultAllowances } from './allowances.ts'
import { previewQuery } from './gasless-schema.ts'
import type { GaslessBody, GaslessSteps } from './gasless-steps.ts'
import { preparePayload } from './prepare.ts'
import { type OwnedAction, submitAction } from './submit.ts'

/** An endpoint of an action that its owner signs and the hub relays; always a POST of a session. */
export interface GaslessDeclaration<P extends z.ZodObject, Q extends z.ZodObject, R>
  extends Pick<RouteDeclaration, 'path' | 'operationId' | 'tag' | 'summary' | 'description' | 'errors'> {
  params: P
  query?: Q
  steps: GaslessSteps<R>
}

interface GaslessInput<P extends z.ZodObject, Q extends z.ZodObject, R> {
  params: z.output<P>
  query: z.output<Q>
  /** Not judged yet. Only for an action whose records the body names, and not the path. */
  body: GaslessBody<R>
}

export interface GaslessAction<R> extends OwnedAction {
  /** The members of the struct that `prepare` asks for. In `submit` they are what the owner signed. */
  requested?: (request: R) => TypedMessage
}

/** Joins a gasless declaration with what finds the action of a request. The state is checked before anything that the body says. */
export function defineGaslessRoute<P extends z.ZodObject, R, Q extends z.ZodObject = z.ZodObject>(
  { steps: { action, ...steps }, description, query: own, ...declaration }: GaslessDeclaration<P, Q, R>,
  resolve: (c: HubContext, input: GaslessInput<P, Q, R>) => Promise<GaslessAction<R>>,
): Route {
  const query = 200 in steps.responses ? z.strictObject({ ...own?.shape, ...previewQuery }) : own
  return defineRoute(
    {
      ...declaration,
      ...(query && { query }),
      ...steps,
      method: 'post',
      auth: { session: true },
      description: [description, allowanceText(action)].filter(Boolean).join(' '),
    },
    async (c, { params, query, json: body }) => {
      const { requested, ...owned } = await resolve(c, { params, query, body } as GaslessInput<P, Q, R>)
      if (body.step === 'submit') return submitAction(c, owned, body.signed)
      owned.requireState()
      if (body.step === 'rejected') throw body.error
      const message = { ...owned.message, ...requested?.(body.request) }
      return json(await preparePayload(c, { ...owned, message }))
    },
  )
}

const allowanceText = (action: Action): string =>
  `The hub relays ${defaultAllowances[action]} \`${action}\` of a wallet in a day that begins at 00:00 UTC, unless its operators chose another number; after that it answers 429 \`rate_limited\`, with \`details.renews_at\`. The same signed body again costs nothing, and nor does one that is refused.`
