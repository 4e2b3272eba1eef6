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

const permitInput = {
  name: 'permit',
  type: 'tuple',
  components: [
    { name: 'deadline', type: 'uint256' },
    { name: 'signature', type: 'bytes' },
  ],
}

/**
 * Encodes the call that carries a signed action: the struct as it was signed, then the signature, and for a bond the
 * permit's deadline and signature, which are empty where an allowance exists.
 */
export function encodeActionCall(action: Action, { message, signature, permit }: SignedAction): Hex {
  const name: string = functionNames[action]
  const components = structs[actions[action]].members
  const members = Object.fromEntries(
    components.map(({ name, type }) => [name, argumentOf(type, message[name] as string | number)]),
  )
  const permitGiven = {
    deadline: BigInt(permit?.message.deadline ?? 0),
    signature: permit?.signature ?? '0x',
  }
  const bonds = action === 'bond'
  const inputs = [
    { name: 'action', type: 'tuple', components },
    { name: 'signature', type: 'bytes' },
    ...(bonds ? [permitInput] : []),
  ]
  return encodeFunctionData({
    abi: [{ type: 'function', name, inputs, outputs: [], stateMutability: 'nonpayable' }],
    functionName: name,
    args: [members, signature, ...(bonds ? [permitGiven] : [])],
  })
}

const argumentOf = (type: string, value: string | number): string | number | bigint =>
  type === 'uint256' ? BigInt(value) : value
