import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandsFor } from '../console/src/lib/mine/commands.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { dist } from '../testing/node/nodectl.ts'

type Commands = ReturnType<typeof commandsFor>
const systems = ['linux', 'windows', 'macos'] as const
const commandsOf = (system: (typeof systems)[number]): Commands =>
  commandsFor(system, {
    hub: 'https://hub.example',
    owner: `0x${'11'.repeat(20)}`,
    isLocal: true,
    version: '1.0.0',
  })

/** Commands about users and services of the machine are only recorded, with their arguments. */
const noted = ['useradd', 'sysadminctl', 'chown', 'systemctl', 'launchctl', 'journalctl', 'tail', 'id']

/** A machine of its own for the commands of the page: a folder stands for its root. */
function machine() {
  const root = temporaryFolder()
  const [bin, notes] = [path.join(root, 'bin'), path.join(root, 'notes')]
  const program = (name: string, text: string) =>
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  for (const folder of ['bin', 'home', 'etc/systemd/system', 'var/lib', 'Library/LaunchDaemons'])
    mkdirSync(path.join(root, folder), { recursive: true })
  writeFileSync(notes, '')
  for (const name of noted) program(name, `echo "${name} $*" >> "${notes}"${name === 'id' ? '; exit 1' : ''}`)
  program('sudo', 'exec "$@"')
  program('nodectl', `exec "${process.execPath}" "${path.join(dist, 'nodectl.mjs')}" "$@"`)
  const at = (file: string) => path.join(root, file)
  return {
    at,
    read: (file: string) => readFileSync(at(file), 'utf8'),
    noted: () => readFileSync(notes, 'utf8').replaceAll(root, '').trim().split('\n'),
    run: (text: string) =>
      spawnSync('bash', ['-c', text.replaceAll(/(?<![\w.>])\/(?=var|etc|usr\/local|Library)/g, `${root}/`)], {
        cwd: at('home'),
        encoding: 'utf8',
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
      }),
  }
}

const mode = (file: string) => statSync(file).mode & 0o777

const places = {
  linux: {
    data: 'var/lib/nodectl',
    unit: 'etc/systemd/system/nodectl.service',
    user: 'nodectl',
    readers: 'root',
  },
  windows: {
    data: 'var/lib/nodectl',
    unit: 'etc/systemd/system/nodectl.service',
    user: 'nodectl',
    readers: 'root',
  },
  macos: {
    data: 'usr/local/var/nodectl',
    unit: 'Library/LaunchDaemons/nodectl.plist',
    user: '_nodectl',
    readers: '_nodectl',
  },
}
const started = {
  linux: ['systemctl daemon-reload', 'systemctl enable --now nodectl', 'journalctl -fu nodectl'],
  windows: ['systemctl daemon-reload', 'systemctl enable --now nodectl', 'journalctl -fu nodectl'],
  macos: ['launchctl bootstrap system /Library/LaunchDaemons/nodectl.plist', 'tail -f /var/log/nodectl.log'],
}

describe.each(systems)('the commands of /run-a-device for %s', (system) => {
  const { key, check, bind, serve, service } = commandsOf(system)
  const { data, unit, user, readers } = places[system]

  test('have valid shell syntax', () => {
    for (const text of [key, check, bind, serve, service ?? ''])
      expect(spawnSync('sh', ['-n', '-c', text], { encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      })
  })

  test('give the service the key that was bound, with its settings, and start it last', () => {
    const { at, read, noted, run } = machine()
    expect(run(key)).toMatchObject({ status: 0 })
    const seed = read('home/node/node.key')
    const { status, stderr } = run(service ?? '')
    expect([status, stderr]).toEqual([0, ''])

    expect(read(`${data}/node.key`)).toBe(seed)
    expect([mode(at(data)), mode(at(`${data}/node.key`))]).toEqual([0o700, 0o600])
    expect([existsSync(at('home/node')), read('home/node-copy/node.key')]).toEqual([false, seed])
    const settings = [...read('etc/nodectl.env').matchAll(/^([A-Z_]+=.*)$/gm)].map(([line]) => line)
    expect(settings).toEqual([
      `NODE_DATA_DIR=${at(data)}`,
      'NODE_HUB_URL=https://hub.example',
      'NODE_CLOCK=hub',
    ])
    expect(mode(at('etc/nodectl.env'))).toBe(0o600)
    expect(read(unit)).toContain(system === 'macos' ? `<string>${user}</string>` : `\nUser=${user}\n`)
    expect(noted().filter((line) => !line.startsWith('id '))).toEqual([
      expect.stringMatching(new RegExp(`^(?:useradd|sysadminctl) .*\\b${user}\\b`)),
      `chown -R ${user} /${data}`,
      `chown ${readers} /etc/nodectl.env`,
      ...started[system],
    ])
  })

  test('start nothing if the key is missing, or if the data directory already exists', () => {
    const { at, noted, run } = machine()
    expect(run(service ?? '').status).not.toBe(0)
    run(key)
    mkdirSync(at(data), { recursive: true })
    expect(run(service ?? '').status).not.toBe(0)
    expect(noted().join('\n')).not.toMatch(/systemctl|launchctl/)
    expect(existsSync(at('home/node/node.key'))).toBe(true)
  })

  test('check the machine with the new key, and report no failure', () => {
    const { run } = machine()
    run(key)
    const { stdout } = run(`${check.replace(/--hub-url \S+/, '--bind 127.0.0.1:0')}`)
    expect(stdout).toMatch(/^ok +key: node-/m)
    expect(stdout).not.toMatch(/^failed/m)
  })
})
