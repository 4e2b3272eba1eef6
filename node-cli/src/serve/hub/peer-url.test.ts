import { describe, expect, test } from 'vitest'
import { peerUrlProblem } from './peer-url.ts'

describe('peerUrlProblem', () => {
  test.each([
    ['https://node.example:7070', null, null],
    ['https://1.1.1.1', null, null],
    ['http://127.0.0.1:7070', 'leads to this machine', null],
    ['https://localhost', 'leads to this machine', null],
    ['http://node.example', 'is not https', 'is not https'],
    ['https://10.0.0.1', 'leads into a private network', 'leads into a private network'],
    ['https://169.254.169.254', 'leads into a private network', 'leads into a private network'],
    ['https://[fd00::1]', 'leads into a private network', 'leads into a private network'],
    ['https://[::ffff:10.0.0.1]', 'leads into a private network', 'leads into a private network'],
    ['https://router.lan', 'leads into a private network', 'leads into a private network'],
    [
      'https://me:secret@node.example',
      'holds a name, a password or a backslash',
      'holds a name, a password or a backslash',
    ],
    [
      'https:\\\\node.example',
      'holds a name, a password or a backslash',
      'holds a name, a password or a backslash',
    ],
    ['file:///etc/passwd', 'is not an http URL', 'is not an http URL'],
    ['node', 'is not an http URL', 'is not an http URL'],
  ])('%s: %s; on a local network: %s', (url, elsewhere, local) => {
    expect([peerUrlProblem(url, false), peerUrlProblem(url, true)]).toEqual([elsewhere, local])
  })
})
