import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../testing/node/folders.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { readConfig } from './src/serve/config.ts'
import { settingNames, variableOf } from './src/serve/flags.ts'
import { launchdPlist } from './src/service/launchd-plist.ts'
import { systemdUnit } from './src/service/systemd-unit.ts'

const print = (...args: string[]) => nodectlHere(['service', 'print', ...args])
/** The same in a process of its own, whose command the file names. */
const printAlone = (...args: string[]) => nodectl(['service', 'print', ...args])
const options = {
  command: ['/usr/bin/node', '/usr/bin/nodectl'],
  flags: [],
  user: 'nodectl',
  dataDir: '/var/lib/nodectl',
  environmentFile: '/etc/nodectl.env',
}
const has = (program: string) => spawnSync(program, ['--version']).error === undefined

describe('the systemd unit', () => {
  test('runs serve as its own user, hardened, and starts it again', async () => {
    const { code, stdout } = await printAlone('systemd')
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    for (const line of [
      'User=nodectl',
      'Environment=MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_MMAP_THRESHOLD_=65536',
      'EnvironmentFile=/etc/nodectl.env',
      'Restart=on-failure',
      'RestartSec=5',
      'NoNewPrivileges=true',
      'ProtectSystem=strict',
      'ProtectHome=true',
      'PrivateTmp=true',
      'ReadWritePaths=/var/lib/nodectl',
      'StateDirectory=nodectl',
      'LimitNOFILE=65536',
    ])
      expect(lines).toContain(line)
    expect(stdout).toMatch(/^ExecStart=\S*node \S*nodectl\.mjs serve$/m)
  })

  test('accepts another user and directory', async () => {
    const { stdout } = await print('systemd', '--user', 'miner', '--data-dir', '/srv/node one')
    expect(stdout).toContain('\nUser=miner\n')
    expect(stdout).toContain('\nReadWritePaths="/srv/node one"\n')
    expect(stdout).not.toContain('StateDirectory')
    // The steps to install it write the same unit.
    expect(stdout).toContain("\n#   mkdir '/srv/node one' && cp -pR ./node/. '/srv/node one' && ")
    for (const file of ['env', 'systemd'])
      expect(stdout).toContain(
        `\n#   nodectl service print ${file} --user miner --data-dir '/srv/node one' > /etc/`,
      )
  })

  test('has systemd make the data directory only if its name is one word', async () => {
    expect((await print('systemd', '--data-dir', '/var/lib/node-1')).stdout).toContain(
      'StateDirectory=node-1\n',
    )
    for (const dataDir of ['/var/lib/node one', '/var/lib/100%'])
      expect((await print('systemd', '--data-dir', dataDir)).stdout).not.toContain('StateDirectory')
  })

  test('passes the given settings to serve, and no others', async () => {
    const { stdout } = await printAlone(
      'systemd',
      '--hub-url',
      'https://hub.example',
      '--data-dir',
      '/srv/node one',
    )
    expect(stdout).toMatch(
      /^ExecStart=\S*node \S*nodectl\.mjs serve --data-dir "\/srv\/node one" --hub-url https:\/\/hub\.example$/m,
    )
  })

  test('special characters in a path are escaped', () => {
    const unit = systemdUnit({ ...options, command: ['/opt/a b/node', '/opt/100%/$HOME/"x"\\'] })
    expect(unit).toContain('\nExecStart="/opt/a b/node" "/opt/100%%/$$HOME/\\"x\\"\\\\" serve\n')
  })

  test.skipIf(!has('systemd-analyze'))('systemd-analyze finds no problem', () => {
    const file = path.join(temporaryFolder(), 'nodectl.service')
    // The programs it names have to be there.
    writeFileSync(
      file,
      systemdUnit({ ...options, command: [process.execPath, '/opt/a b/100%'], flags: ['--network', 'a b'] }),
    )
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
  })
})

describe('the launchd daemon', () => {
  test('reads the settings from the environment file, and starts again after a failure', () => {
    const plist = launchdPlist({ ...options, dataDir: '/usr/local/var/nodectl' })
    const texts = [...plist.matchAll(/<string>(.*)<\/string>/g)].map(([, text]) => text)
    expect(texts).toEqual([
      'nodectl',
      '/bin/sh',
      '-c',
      'set -a; . "$0"; exec "$@"',
      '/etc/nodectl.env',
      '/usr/bin/node',
      '/usr/bin/nodectl',
      'serve',
      'nodectl',
      '/usr/local/var/nodectl',
      '/var/log/nodectl.log',
    ])
    expect(plist).toMatch(/<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key>\s*<false\/>/)
    // launchd appends to the log, and nothing of the system shortens it.
    expect(plist).toContain(
      'Nothing shortens it. Empty it while the node runs: true > /var/log/nodectl.log\n',
    )
    expect(plist).toMatch(/<key>NumberOfFiles<\/key>\s*<integer>65536<\/integer>/)
  })

  test('passes the given settings to serve, as a service user', async () => {
    const { stdout } = await print('launchd', '--hub-url', 'https://hub.example')
    expect(stdout).toMatch(
      /<string>serve<\/string>\s*<string>--hub-url<\/string>\s*<string>https:\/\/hub\.example<\/string>\s*<\/array>/,
    )
    expect(stdout).toContain('<string>_nodectl</string>')
  })

  test('is valid XML, whatever characters a path contains', () => {
    const plist = launchdPlist({ ...options, command: ['/opt/<a>&--b/node'], dataDir: '/srv/--x' })
    expect(plist).toContain('<string>/opt/&lt;a&gt;&amp;--b/node</string>')
    const comment = /<!--([\s\S]*?)-->/.exec(plist)?.[1]
    expect(comment).not.toContain('--')
  })

  test('its shell runs serve with the variables of the environment file', () => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'node.env')
    writeFileSync(file, 'NODE_DATA_DIR="/srv/node one"\n#NODE_ROLE=x\n')
    const { stdout } = spawnSync(
      '/bin/sh',
      ['-c', 'set -a; . "$0"; exec "$@"', file, 'sh', '-c', 'echo "$NODE_DATA_DIR"'],
      { encoding: 'utf8' },
    )
    expect(stdout).toBe('/srv/node one\n')
  })
})

describe('the environment file', () => {
  test('lists every setting, and sets those that are given', async () => {
    const given = [
      '--hub-url',
      'https://hub.example',
      '--role',
      'validator',
      '--node-url',
      'https://node.example',
    ]
    const { code, stdout } = await print('env', ...given)
    expect(code).toBe(0)
    for (const name of settingNames) expect(stdout).toMatch(new RegExp(`^#?${variableOf(name)}=`, 'm'))
    expect(stdout).toMatch(/^#NODE_API_TOKEN=$/m)
    const set = [...stdout.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!])
    expect(set).toEqual([
      ['NODE_DATA_DIR', '/var/lib/nodectl'],
      ['NODE_HUB_URL', 'https://hub.example'],
      ['NODE_NODE_URL', 'https://node.example'],
      ['NODE_ROLE', 'validator'],
    ])
    expect(readConfig({}, Object.fromEntries(set))).toMatchObject({
      role: 'validator',
      hubUrl: 'https://hub.example',
    })
  })

  test('a shell reads every value back', async () => {
    const dataDir = '/srv/a "b" $HOME `id` \\'
    const { stdout } = await print('env', '--data-dir', dataDir)
    const file = path.join(temporaryFolder(), 'node.env')
    writeFileSync(file, stdout)
    const shell = spawnSync('sh', ['-c', '. "$0"; printf %s "$NODE_DATA_DIR"', file], { encoding: 'utf8' })
    expect([shell.stdout, shell.stderr]).toEqual([dataDir, ''])
  })
})

test('--json contains the file and its path', async () => {
  const { stdout } = await print('systemd', '--json')
  expect(JSON.parse(stdout)).toEqual({
    file: 'systemd',
    path: '/etc/systemd/system/nodectl.service',
    content: (await print('systemd')).stdout,
  })
})

test.each([
  [['show', 'systemd'], 'unknown action show'],
  [['print', 'sysv'], 'unknown file sysv'],
  [['print', 'sytemd'], 'unknown file sytemd; did you mean systemd?'],
  [['print'], 'the argument FILE is missing'],
  [['print', 'systemd', '--user', 'a b'], '--user must be the name of a user of this system, not a b'],
  [['print', 'systemd', '--data-dir', 'node'], '--data-dir must be an absolute path, not node'],
  [['print', 'systemd', '--profile', './hub.json'], '--profile must be an absolute path, not ./hub.json'],
  [['print', 'env', '--params-changes', 'c.json'], '--params-changes must be an absolute path, not c.json'],
  [['print', 'env', '--role', 'king'], '--role must be miner or validator, not king'],
])('%j is wrong usage', async (args, message) => {
  const { code, stdout, stderr } = await nodectlHere(['service', ...args])
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
})
