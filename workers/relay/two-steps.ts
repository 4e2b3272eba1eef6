import * as z from 'zod'
import type { TypedMessage } from '../../protocol/signatures/index.ts'
import type { HubContext } from '../context.ts'
import { type Answer, json } from '../http/answer.ts'
import { parseOptionalJsonBody } from '../http/body.ts'
import { validate } from '../http/validate.ts'
import { gaslessPayload, type OwnedAction, passState, relayAction } from './relay-action.ts'

export interface TwoSteps<S extends z.ZodType> extends OwnedAction {
  /** What the first step may ask for; it takes no members when left out. */
  request?: S
  /** The members of the struct that the first step asks for. In the second they are what the owner signed. */
  asked?: (request: z.output<S>) => TypedMessage
}

/**
 * Answers a route in two steps: without a signed body 200 with the payload to sign, with one 202 with its relay. The state
 * check comes before anything that the body says, in both steps.
 *
 * @throws {@link ApiError} what `requireState` throws; 400 `invalid_field`; then as {@link relayAction}.
 */
export async function twoSteps<S extends z.ZodType>(
  c: HubContext,
  { request, asked, ...owned }: TwoSteps<S>,
): Promise<Answer> {
  const earlier = await passState(c, owned)
  if (earlier) return earlier
  const { requireState: _, ...passed } = owned
  const body = parseOptionalJsonBody(c)
  if (isSigned(body)) return relayAction(c, passed)
  const members = validate(request ?? z.strictObject({}), body ?? {})
  const message = { ...passed.message, ...asked?.(members as z.output<S>) }
  return json(await gaslessPayload(c, { ...passed, message }))
}

const signedMembers = ['typed_data', 'signature', 'permit', 'permit_signature']

const isSigned = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && signedMembers.some((member) => Object.hasOwn(body, member))
