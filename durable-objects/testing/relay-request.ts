import type { RelayRequest } from '../relayer/types.ts'

let ids = 0

export function relayRequest(over: Partial<RelayRequest> = {}): RelayRequest {
  ids += 1
  return {
    id: `0x${ids.toString(16).padStart(64, '0')}`,
    action: 'bond',
    owner: `0x${'0a'.repeat(20)}`,
    serializationKey: null,
    to: `0x${'0b'.repeat(20)}`,
    data: '0x01',
    valueWei: '0',
    ...over,
  }
}
