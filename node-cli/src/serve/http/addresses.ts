import type { Socket } from 'node:net'
import { addressSubject } from '../../../../protocol/encoding/index.ts'

/**
 * Whom a caller outside this machine is counted as: its IPv4 address, or the /64 of its IPv6 address. Null for programs of
 * this machine, such as a proxy that many share.
 */
export function outsideAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string | null {
  return /^(?:::1$|(?:::ffff:)?127\.)/.test(remoteAddress) ? null : addressSubject(remoteAddress)
}
