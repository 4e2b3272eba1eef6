import type { Socket } from 'node:net'

/** The address of a caller outside this machine; null for programs of this machine, such as a proxy that many share. */
export function outsideAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string | null {
  return /^(?:::1$|(?:::ffff:)?127\.)/.test(remoteAddress) ? null : remoteAddress
}
