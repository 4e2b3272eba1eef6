/**
 * The keys of the accounts that anvil funds. Everybody has them: what they sign is worth something on chains of one's own
 * only.
 */
export const anvilKeys: readonly `0x${string}`[] = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
  '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
]

/** How these keys begin: enough to tell them, as another key begins like one of them once in 400 million. */
const anvilBeginnings: readonly string[] = [
  ...['0xac0974be', '0x59c6995e', '0x5de4111a', '0x7c852118', '0x47e179ec'],
  ...['0x8b3a350c', '0x92db14e4', '0x4bbbf85c', '0xdbda1821', '0x2a871d07'],
]

/** Whether a private key is one of {@link anvilKeys}, for programs that should not contain private keys. */
export const isAnvilKey = (key: string): boolean => anvilBeginnings.includes(key.slice(0, 10))

/** Chains on somebody's own machine, by the ids that anvil, hardhat and geth's developer mode give them. */
const localChainIds: readonly number[] = [31_337, 1_337]

/** Whether a chain is one that no stranger uses, where keys that everybody has do no harm. */
export const isLocalChain = (chainId: number): boolean => localChainIds.includes(chainId)
