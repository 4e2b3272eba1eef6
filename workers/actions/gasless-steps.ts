import * as z from 'zod'
import type { Action } from '../../protocol/actions/index.ts'
import { isObject, type JsonValue } from '../../protocol/encoding/index.ts'
import type { HubContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseJsonBody, parseOptionalJsonBody, requireContentType } from '../http/body.ts'
import { validate } from '../http/validate.ts'
import type { JsonBody, RouteResponse } from '../route.ts'
import { GaslessPayload, type PayloadExample, SignedGaslessBody, signedExample } from './gasless-schema.ts'
import { Transaction, transactionExample } from './transaction.ts'

/** A request for the payload to sign, or a signed payload. An error is kept, not thrown: the state of the record is checked first. */
export type GaslessBody<R> =
  | { step: 'prepare'; request: R }
  | { step: 'submit'; signed: JsonValue }
  | { step: 'rejected'; error: ApiError }

export interface GaslessSteps<R> {
  action: Action
  json: JsonBody & { parse: (c: HubContext, bytes: Uint8Array) => GaslessBody<R> }
  responses: Record<number, RouteResponse>
  signed?: true
}

const Nothing = z.strictObject({})

/** Both at one path: without a signed body `prepare`, which may ask for something, with one `submit`. */
export const prepareOrSubmit = <S extends z.ZodType = typeof Nothing>(
  payload: PayloadExample,
  request?: S,
): GaslessSteps<z.output<S>> => ({
  action: payload.action,
  json: {
    schema: request ? z.union([request, SignedGaslessBody]) : SignedGaslessBody,
    example: signedExample(payload),
    optional: true,
    parse: rejecting((c, bytes) => {
      const body = parseOptionalJsonBody(c, bytes) ?? {}
      if (isSigned(body)) return { step: 'submit', signed: body }
      return { step: 'prepare', request: validate(request ?? Nothing, body) as z.output<S> }
    }),
  },
  signed: true,
  responses: { 200: payloadResponse(payload), 202: relayedResponse(payload.action) },
})

/** `prepare` alone, with a body that says what for. */
export const prepareOnly = <S extends z.ZodType>(
  payload: PayloadExample,
  request: S,
  example: z.input<S>,
): GaslessSteps<z.output<S>> => ({
  action: payload.action,
  json: {
    schema: request,
    example,
    parse: rejecting((c, bytes) => {
      return { step: 'prepare', request: validate(request, parseOptionalJsonBody(c, bytes) ?? {}) }
    }),
  },
  responses: { 200: payloadResponse(payload) },
})

export const submitOnly = (payload: PayloadExample): GaslessSteps<never> => ({
  action: payload.action,
  json: {
    schema: SignedGaslessBody,
    example: signedExample(payload),
    parse: rejecting((c, bytes) => {
      requireContentType(c, 'application/json')
      return { step: 'submit', signed: parseJsonBody(bytes) }
    }),
  },
  signed: true,
  responses: { 202: relayedResponse(payload.action) },
})

const rejecting =
  <R>(parse: (c: HubContext, bytes: Uint8Array) => GaslessBody<R>) =>
  (c: HubContext, bytes: Uint8Array): GaslessBody<R> => {
    try {
      return parse(c, bytes)
    } catch (error) {
      if (error instanceof ApiError) return { step: 'rejected', error }
      throw error
    }
  }

const signedMembers = Object.keys(SignedGaslessBody.shape)

const isSigned = (body: JsonValue): boolean =>
  isObject(body) && signedMembers.some((member) => Object.hasOwn(body, member))

const payloadResponse = (payload: PayloadExample): RouteResponse => ({
  description: 'The action that the owner signs and sends back.',
  schema: GaslessPayload,
  example: payload,
})

const relayedResponse = (action: PayloadExample['action']): RouteResponse => ({
  description: 'The signed action is on its way to the chain.',
  schema: Transaction,
  example: { ...transactionExample, action, status: 'sent', indexed: false, confirmations: 0 },
  headers: { Location: 'The address at which to follow the transaction.' },
})
