/** Values the examples of the OpenAPI document share. They belong to nobody: the keys they come from are public. */
export const example = {
  wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  manifestAddress: '0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454',
  digest: '0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6',
  nonce: 'Zk3v9QpXw7LrT2sBn',
  time: 1_793_000_040,
} as const
