import { readCapped } from '../../durable-objects/chain/capped-text.ts'
import { isLoopbackHost } from '../../protocol/encoding/index.ts'
import type { Coordinator } from '../coordinator.ts'
import { answerMsMax } from './ask-each.ts'

export interface ValidatorCall {
  /** Path below the URL that the validator registered with. */
  path: string
  body: Uint8Array
  /** Network time. */
  now: number
  /** How long it may take; 10 s when left out. */
  answerMsMax?: number | undefined
  /** Ends the call: nothing is awaited of it any more. */
  over?: AbortSignal
}

export interface CallRules {
  coordinator: Coordinator
  /** Whether validators on this machine may be called, without a certificate. */
  isLocal: boolean
}

const answerBytesMax = 4 * 1024 * 1024

/**
 * Posts something to a validator, signed as the coordinator. Nothing in its JSON answer is believed here.
 * @returns Null when it may not be called, does not answer in time, refuses, or answers with more than 4 MiB or no JSON.
 */
export async function askValidator(url: string, call: ValidatorCall, rules: CallRules): Promise<unknown> {
  const answer = await callValidator(url, call, rules)
  return answer?.status === 200 ? answer.value : null
}

/** As {@link askValidator}, with the answers by which a validator refuses. */
export async function callValidator(
  url: string,
  call: ValidatorCall,
  rules: CallRules,
): Promise<{ status: number; value: unknown } | null> {
  const target = targetOf(url, call.path)
  if (target === null || !isCallable(target, rules)) return null
  // Unlike `AbortSignal.timeout` it ends with the call: an object that has a timer stays in memory.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), call.answerMsMax ?? answerMsMax)
  try {
    const { body, now: timestamp } = call
    const signed = { method: 'POST', target: target.pathname + target.search, body, timestamp } as const
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...rules.coordinator.sign(signed) },
      body,
      // A validator is where its operator approved it to be, and nowhere else.
      redirect: 'manual',
      signal: call.over === undefined ? late.signal : AbortSignal.any([late.signal, call.over]),
    })
    return {
      status: response.status,
      value: JSON.parse(await readCapped(response, answerBytesMax, () => new Error('too large'))) as unknown,
    }
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}

function targetOf(url: string, path: string): URL | null {
  if (!URL.canParse(url)) return null
  const base = new URL(url)
  return new URL(base.pathname.replace(/\/$/, '') + path, base)
}

/** https, or on a local network this machine. */
const isCallable = ({ protocol, hostname }: URL, { isLocal }: CallRules): boolean =>
  protocol === 'https:' || (isLocal && protocol === 'http:' && isLoopbackHost(hostname))
