import { settlementReferenceAbi, settlementReferenceBytecode } from '../generated/mocks.ts'
import { deployer, type Network } from './network.ts'

/** Solidity's own computation of what the protocol computes off the chain. */
export async function deployReference(network: Network) {
  const hash = network.client.deployContract({
    abi: settlementReferenceAbi,
    bytecode: settlementReferenceBytecode,
    account: deployer.address,
  })
  return network.at(settlementReferenceAbi, (await network.receiptOf(hash)).contractAddress!)
}
