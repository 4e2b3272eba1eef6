const hash = `0x${'ab'.repeat(32)}`

/** Frames of version 1, as nodes and hubs that know no other write and read them: no member may be added or left out. */
export const framesOf1 = {
  hub: [
    { type: 'hello', session_id: '0f'.repeat(16), time: 1_800_000_000, params_hash: hash },
    {
      type: 'offer',
      offer_id: 'ecee4fc322fef54db86459e74746280bb37f4ac8ef9b430f2c6033587b3d24e7.0',
      lease_id: 'ecee4fc322fef54db86459e74746280bb37f4ac8ef9b430f2c6033587b3d24e7.0',
      task: {
        v: 1,
        project_id: hash,
        consensus_hash: hash,
        epoch: 1,
        seq: 1,
        set_hash: hash,
        module_address: hash,
        function: 'work',
        input_hash: hash,
        gas_limit: 1_000,
        issued_at: 1_800_000_000,
      },
      position: 0,
      role: 'primary',
      input_b64: 'aGVsbG8=',
      accept_by: 1_800_000_010,
      vote_by: 1_800_000_120,
    },
    { type: 'voted', offer_id: `${'ab'.repeat(32)}.0`, state: 'pending' },
    { type: 'cancel', offer_id: `${'ab'.repeat(32)}.0`, reason: 'not open' },
    { type: 'error', code: 'not_found', message: 'This offer is not open here.' },
    { type: 'pong' },
  ],
  node: [
    { type: 'ready', slots: 1, engine: 'native', nodectl_version: '1.0.0', holding: [] },
    { type: 'accept', offer_id: `${'ab'.repeat(32)}.0` },
    { type: 'decline', offer_id: `${'ab'.repeat(32)}.0`, reason: 'busy' },
    { type: 'vote', offer_id: `${'ab'.repeat(32)}.0`, vote: {}, output_b64: '', events: [] },
    { type: 'ping' },
  ],
} as const
