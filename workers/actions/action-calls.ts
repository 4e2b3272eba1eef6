import { type Abi, decodeFunctionData, encodeFunctionData, getAbiItem, type Hex } from 'viem'
import { projectRegistryFunctions, stakingFunctions } from '../../contracts/generated/functions.ts'
import {
  type AcceptedSignature,
  type Action,
  actions,
  permitActions,
  structs,
} from '../../protocol/actions/index.ts'
import type { MemberValue, TypedMessage } from '../../protocol/signatures/index.ts'

/** An action that an account wants to sign. */
export interface RequestedAction {
  action: Action
  account: string
  /** The members that path, account and stored records fix, without nonce and deadline. */
  message: TypedMessage
}

/** An action and, beside a bond, a permit, both checked against what the hub builds itself. */
export interface SignedAction extends AcceptedSignature {
  permit: AcceptedSignature | null
}

interface ActionFunctions {
  abi: Abi
  /** Takes the struct with its owner's signature, from anyone. */
  relayed: string
  /** Takes the same from the owner itself. */
  direct: string
}

const functions: Record<Action, ActionFunctions> = {
  register_project: { abi: projectRegistryFunctions, relayed: 'registerBySig', direct: 'register' },
  publish_version: {
    abi: projectRegistryFunctions,
    relayed: 'publishVersionBySig',
    direct: 'publishVersion',
  },
  bond: { abi: stakingFunctions, relayed: 'bondBySig', direct: 'bond' },
  bond_batch: { abi: stakingFunctions, relayed: 'bondBatchBySig', direct: 'bondBatch' },
  set_payout: { abi: stakingFunctions, relayed: 'setPayoutBySig', direct: 'setPayout' },
  unbond: { abi: stakingFunctions, relayed: 'unbondBySig', direct: 'unbond' },
  withdraw: { abi: stakingFunctions, relayed: 'withdrawBySig', direct: 'withdraw' },
}

/** Encodes the call that relays a signed action: the struct, the signature, and for a bond the permit, which is empty beside an allowance. */
export function encodeActionCall(action: Action, { message, signature, permit }: SignedAction): Hex {
  const { abi, relayed } = functions[action]
  const members = structs[actions[action]].members.map(({ name, type }) => [
    name,
    argumentOf(type, message[name]),
  ])
  const permitGiven = {
    deadline: BigInt(String(permit?.message.deadline ?? 0)),
    signature: permit?.signature ?? '0x',
  }
  const args = [
    Object.fromEntries(members),
    signature,
    ...(permitActions.includes(action) ? [permitGiven] : []),
  ]
  return encodeFunctionData({ abi, functionName: relayed, args })
}

/** Reads a call that {@link encodeActionCall} has encoded; null for any other. */
export function decodeActionCall(
  action: Action,
  data: string,
): { message: Record<string, unknown>; signature: Hex } | null {
  const { abi, relayed } = functions[action]
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi, data: data as Hex })
    const [message, signature] = args as [Record<string, unknown>, Hex]
    return functionName === relayed ? { message, signature } : null
  } catch {
    return null
  }
}

/** Encodes the call with which the owner does the same without the hub; its parameters are members of the struct. */
export function encodeDirectCall(action: Action, message: TypedMessage): Hex {
  const { abi, direct } = functions[action]
  const item = getAbiItem({ abi, name: direct })
  const inputs = item?.type === 'function' ? item.inputs : []
  const args = inputs.map(({ name = '', type }) => argumentOf(type, message[name]))
  return encodeFunctionData({ abi, functionName: direct, args })
}

const argumentOf = (type: string, value: MemberValue | undefined): unknown => {
  if (value === undefined) throw new TypeError(`a member of type ${type} is missing`)
  if (typeof value === 'object') return value.map((entry) => argumentOf(type.replace('[]', ''), entry))
  return type === 'uint256' ? BigInt(value) : value
}
