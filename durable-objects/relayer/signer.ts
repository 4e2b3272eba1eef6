import { type Hex, keccak256 } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Fees } from './fees.ts'
import { type Attempt, type SubmittedRelay, transferGas } from './ledger.ts'

export class TransactionSigner {
  readonly address: string
  readonly #account: PrivateKeyAccount
  readonly #chainId: number

  constructor(privateKey: string, chainId: number) {
    this.#account = privateKeyToAccount(privateKey as Hex)
    this.#chainId = chainId
    this.address = this.#account.address.toLowerCase()
  }

  async sign(
    relay: SubmittedRelay,
    { maxFeeWei, tipWei }: Fees,
    signedAtMs: number,
  ): Promise<Omit<Attempt, 'accepted'>> {
    const { nonce, noop } = relay
    const content = noop
      ? { to: this.#account.address, gas: BigInt(transferGas) }
      : { to: relay.to as Hex, data: relay.data as Hex, value: relay.valueWei, gas: BigInt(relay.gas) }
    const raw = await this.#account.signTransaction({
      type: 'eip1559',
      chainId: this.#chainId,
      nonce,
      ...content,
      maxFeePerGas: maxFeeWei,
      maxPriorityFeePerGas: tipWei,
    })
    return { hash: keccak256(raw), nonce, raw, signedAtMs, maxFeeWei, tipWei, noop }
  }
}
