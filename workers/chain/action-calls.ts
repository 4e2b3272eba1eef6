import { encodeFunctionData, type Hex } from 'viem'
import { type AcceptedSignature, type Action, actions, structs } from '../../protocol/typed-data.ts'

/** An action and, beside a bond, a permit, both checked against what the hub builds itself. */
export interface SignedAction extends AcceptedSignature {
  permit: AcceptedSignature | null
}

/** The functions of the contracts that take an action with its owner's signature. */
const functionNames = {
  register_project: 'registerBySig',
  publish_version: 'publishVersionBySig',
  bond: 'bondBySig',
  set_payout: 'setPayoutBySig',
  unbond: 'unbondBySig',
  withdraw: 'withdrawBySig',
} as const satisfies Record<Action, string>

interface Argument {
  name: string
  type: string
  value: unknown
}

/**
 * Encodes the call that carries a signed action: the members that were signed without the nonce, which the contract
 * knows, then the signature. A bond adds its permit's deadline and signature, empty without a permit.
 */
export function encodeActionCall(action: Action, { message, signature, permit }: SignedAction): Hex {
  const signed = structs[actions[action]].members.flatMap(({ name, type }): Argument[] =>
    name === 'nonce' ? [] : [{ name, type, value: argumentOf(type, message[name] as string | number) }],
  )
  const given: Argument[] = [...signed, { name: 'signature', type: 'bytes', value: signature }]
  if (action === 'bond')
    given.push(
      { name: 'permitDeadline', type: 'uint256', value: BigInt(permit?.message.deadline ?? 0) },
      { name: 'permitSignature', type: 'bytes', value: permit?.signature ?? '0x' },
    )
  const name: string = functionNames[action]
  const inputs = given.map(({ name, type }) => ({ name, type }))
  return encodeFunctionData({
    abi: [{ type: 'function', name, inputs, outputs: [], stateMutability: 'nonpayable' }],
    functionName: name,
    args: given.map(({ value }) => value),
  })
}

const argumentOf = (type: string, value: string | number): string | number | bigint =>
  type === 'uint256' ? BigInt(value) : value
