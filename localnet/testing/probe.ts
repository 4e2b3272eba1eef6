import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Anvil } from './anvil.ts'

export const probeAbi = parseAbi([
  'function act(bytes32 id)',
  'function close(uint256 value)',
  'function count() view returns (uint256)',
  'function done(bytes32 id) view returns (uint256)',
  'function say(bytes32[] topics, bytes data)',
])

/**
 * A contract whose count tells how often something was done, and which says whatever it is told to:
 *
 * ```solidity
 * contract Probe {
 *     error InvalidAccountNonce(address account, uint256 currentNonce);
 *     mapping(bytes32 => uint256) public done;
 *     uint256 public count;
 *     uint256 public closed;
 *
 *     function act(bytes32 id) external {
 *         if (done[id] != 0) revert InvalidAccountNonce(msg.sender, uint256(id));
 *         require(closed == 0, "closed");
 *         done[id] = 1;
 *         count += 1;
 *     }
 *
 *     function close(uint256 value) external { closed = value; }
 *
 *     function say(bytes32[] calldata topics, bytes calldata data) external {
 *         bytes memory copy = data;
 *         bytes32 a = topics.length > 0 ? topics[0] : bytes32(0);
 *         bytes32 b = topics.length > 1 ? topics[1] : bytes32(0);
 *         bytes32 c = topics.length > 2 ? topics[2] : bytes32(0);
 *         bytes32 d = topics.length > 3 ? topics[3] : bytes32(0);
 *         uint256 n = topics.length;
 *         assembly {
 *             switch n
 *             case 1 { log1(add(copy, 32), mload(copy), a) }
 *             case 2 { log2(add(copy, 32), mload(copy), a, b) }
 *             case 3 { log3(add(copy, 32), mload(copy), a, b, c) }
 *             default { log4(add(copy, 32), mload(copy), a, b, c, d) }
 *         }
 *     }
 * }
 * ```
 */
const probeCode =
  '0x' +
  '608060405234801561000f575f5ffd5b5060043610610060575f3560e01c806306661abd146100645780630aebeb4e14' +
  '61007f578063205885ff14610094578063388a3cf5146100a7578063572c594b146100c6578063597e1fb5146100d957' +
  '5b5f5ffd5b61006d60015481565b60405190815260200160405180910390f35b61009261008d3660046102c4565b6002' +
  '55565b005b6100926100a23660046102c4565b6100e2565b61006d6100b53660046102c4565b5f602081905290815260' +
  '4090205481565b6100926100d436600461031f565b610181565b61006d60025481565b5f818152602081905260409020' +
  '541561011c576040516301d4b62360e61b8152336004820152602481018290526044015b60405180910390fd5b600254' +
  '156101555760405162461bcd60e51b815260206004820152600660248201526518db1bdcd95960d21b60448201526064' +
  '01610113565b5f8181526020819052604081206001908190558054909182916101799083906103b7565b909155505050' +
  '565b5f82828080601f0160208091040260200160405190810160405280939291908181526020018383808284375f9201' +
  '82905250939450505085151590506101c7575f6101e1565b85855f8181106101d9576101d96103dc565b905060200201' +
  '355b90505f600186116101f2575f61020d565b86866001818110610205576102056103dc565b905060200201355b9050' +
  '5f6002871161021e575f610239565b87876002818110610231576102316103dc565b905060200201355b90505f600388' +
  '1161024a575f610265565b8888600381811061025d5761025d6103dc565b905060200201355b90508780600181146102' +
  '91576002811461029e57600381146102ac57828486888a5160208c01a46102b7565b85875160208901a16102b7565b84' +
  '86885160208a01a26102b7565b838587895160208b01a35b5050505050505050505050565b5f602082840312156102d4' +
  '575f5ffd5b5035919050565b5f5f83601f8401126102eb575f5ffd5b5081356001600160401b03811115610301575f5f' +
  'fd5b602083019150836020828501011115610318575f5ffd5b9250929050565b5f5f5f5f60408587031215610332575f' +
  '5ffd5b84356001600160401b03811115610347575f5ffd5b8501601f81018713610357575f5ffd5b8035600160016040' +
  '1b0381111561036c575f5ffd5b8760208260051b8401011115610380575f5ffd5b602091820195509350850135600160' +
  '0160401b0381111561039f575f5ffd5b6103ab878288016102db565b95989497509550505050565b8082018082111561' +
  '03d657634e487b7160e01b5f52601160045260245ffd5b92915050565b634e487b7160e01b5f52603260045260245ffd'

export async function placeProbe({ rpc }: Anvil, address: string): Promise<void> {
  await rpc('anvil_setCode', address, probeCode)
}

export const actData = (id: string): Hex =>
  encodeFunctionData({ abi: probeAbi, functionName: 'act', args: [id as Hex] })

/** Afterwards nothing can be done any more. */
export const closeData = encodeFunctionData({ abi: probeAbi, functionName: 'close', args: [1n] })

export const sayData = (topics: readonly Hex[], data: Hex = encodeAbiParameters([], [])): Hex =>
  encodeFunctionData({ abi: probeAbi, functionName: 'say', args: [topics, data] })

/** How often something was done at all. */
export async function probeCount({ rpc }: Anvil, address: string): Promise<number> {
  const data = encodeFunctionData({ abi: probeAbi, functionName: 'count' })
  return Number(await rpc<string>('eth_call', { to: address, data }, 'latest'))
}
