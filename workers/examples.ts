/** Values the examples of the OpenAPI document share. They belong to nobody: the keys they come from are public. */
export const example = {
  /** The address of a hub: the document of a deployment has its own in this place. */
  hub: 'https://hub.invalid',
  relayer: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  operator: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  contracts: {
    token: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
    project_registry: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
    staking: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  },
  manifestAddress: '0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454',
  digest: '0x5744b72479cc6d5bacad5b2b51848442d56f3118f956885e622892653f8a90e6',
  nonce: 'Zk3v9QpXw7LrT2sBn',
  time: 1_793_000_040,
} as const

/** The members of a profile, each standing for itself; the hub fills in its own when it serves the document. */
export const placeholders = {
  service: '{{service}}',
  prefix: '{{prefix}}',
  node_id_prefix: '{{node_id_prefix}}',
  network: '{{network}}',
  token_symbol: '{{token_symbol}}',
  token_name: '{{token_name}}',
  permit_name: '{{permit_name}}',
  header_prefix: '{{header_prefix}}',
  session_token_prefix: '{{session_token_prefix}}',
  api_key_prefix: '{{api_key_prefix}}',
} as const
