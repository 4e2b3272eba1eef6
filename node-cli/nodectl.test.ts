import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../testing/node/folders.ts'
import { dist, nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { commandHelp } from './src/cli/help.ts'
import { commands } from './src/commands/index.ts'
import { dispatch } from './src/dispatch.ts'

const helpOf = async (name: string) =>
  commandHelp(name, commands[name]!.description, (await commands[name]!.load()).default)

describe('nodectl', () => {
  test.each(['--version', '-v'])('%s prints exactly the version', async (flag) => {
    expect(await nodectl([flag])).toEqual({ code: 0, stdout: '1.0.0\n', stderr: '' })
  })

  test.each([[[]], [['--help']], [['-h']], [['-h', '-h']], [['--help', '-h', '--help']]])(
    '%j shows the commands with examples',
    async (args) => {
      const { code, stdout, stderr } = await nodectl(args)
      expect([code, stderr]).toEqual([0, ''])
      for (const name of Object.keys(commands)) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
      expect(stdout).toContain('Examples:')
    },
  )

  test.each(Object.keys(commands))('the help of %s shows usage, options and examples', async (name) => {
    const help = await helpOf(name)
    expect(help).toContain(`${commands[name]!.description}\n`)
    expect(help).toContain(`nodectl ${name} [options]`)
    expect(help).toMatch(new RegExp(`Examples:\\n  # .+\\n  nodectl ${name} `))
    expect(help).toContain('-h, --help')
    expect(help).toMatch(/^ {2}--json +\S/m)
  })

  test.each([
    ['inspect', '--help'],
    ['help', 'inspect'],
    ['--help', 'inspect'],
    ['-h', '--help', 'inspect', '-h'],
  ])('%s %s prints the help of a command', async (...args) => {
    expect(await nodectlHere(args)).toEqual({ code: 0, stdout: `${await helpOf('inspect')}\n`, stderr: '' })
  })

  // Each of these two is built by itself.
  test.each(['run', 'serve'])('%s --help prints the help of a command that is built alone', async (name) => {
    expect(await nodectl([name, '--help'])).toEqual({
      code: 0,
      stdout: `${await helpOf(name)}\n`,
      stderr: '',
    })
  })

  test('help --json prints the same text', async () => {
    expect(JSON.parse((await nodectlHere(['help', 'inspect', '--json'])).stdout)).toEqual({
      command: 'inspect',
      help: await helpOf('inspect'),
    })
  })

  test('help without a command equals --help', async () => {
    expect(await nodectlHere(['help'])).toEqual(await nodectlHere(['--help']))
  })

  test.each<[string[], number, object]>([
    [
      ['id', '--data-dir', '/nowhere', '--json'],
      1,
      { code: 'no_key', message: expect.stringContaining('keygen'), hint: null },
    ],
    [['id', '--json'], 2, { code: 'usage', message: expect.stringContaining('data-dir'), hint: null }],
    [['inspect', '--json', '/nowhere'], 1, { code: 'unreadable', message: expect.any(String), hint: null }],
    [['idd', '--json'], 2, { code: 'usage', message: 'unknown command idd; did you mean id?', hint: null }],
  ])('%j prints its error as JSON too', async (args, code, error) => {
    const outcome = await nodectlHere(args)
    expect([outcome.code, JSON.parse(outcome.stdout)]).toEqual([code, { error }])
    expect(outcome.stderr).toMatch(/^Error: /)
  })

  test.each(['keygen', 'id'])('the help of %s names its required option', async (name) => {
    const help = await helpOf(name)
    expect(help).toContain(`nodectl ${name} [options] --data-dir <DIR>\n`)
    expect(help).toMatch(/^ {2}--data-dir <DIR> .*\(required\)$/m)
  })

  test('the help of run names the engines, the bounds of the gas and the exit codes', async () => {
    const help = await helpOf('run')
    expect(help).toMatch(/^ {2}--gas <GAS> +Gas limit, 1 to 10000000000 \(default 1000000\)$/m)
    expect(help).toMatch(/^Environment:\n {2}NODE_ENGINE +native: .*pulley: /m)
    expect(help).toMatch(
      /^Exit codes:\n {2}0 +the function succeeded\n {2}1 +the function failed.*\n {2}2 .*\n {2}70 /m,
    )
  })

  test('the README lists the same commands as --help', () => {
    const readme = readFileSync(path.join(import.meta.dirname, 'README.md'), 'utf8')
    const rows = [...readme.matchAll(/^\| `nodectl (\w+)[^|]*\| (.*) \|$/gm)]
    expect(rows.map(([, name, description]) => [name, description])).toEqual(
      Object.entries(commands).map(([name, { description }]) => [name, description]),
    )
  })

  test.each([
    [['inspct', 'x'], 'unknown command inspct; did you mean inspect?'],
    [['frobnicate'], 'unknown command frobnicate'],
    [['--verison'], 'unknown flag --verison; did you mean --version?'],
    [['keygen', '--datadir', 'x'], 'unknown flag --datadir; did you mean --data-dir?'],
    [['keygen', '--data-dir'], '--data-dir needs a value'],
    [['keygen', '--data-dir', '--no-x'], 'write one that begins with - as --data-dir=--no-x'],
    [['compile', 'm.ts', '--out', '-o', 'x'], '--out needs a value'],
    [['compile', 'm.ts', '-o=x.hbc'], '-o takes no =; write -o x.hbc or --out=x.hbc'],
    [['compile', 'm.ts', '-o='], '-o takes no =; write -o VALUE or --out=VALUE'],
    [['compile', 'm.ts', '--out', '-o=x'], '--out needs a value'],
    [['--version', 'please'], '--version takes no argument'],
    [['-v', 'please'], '-v takes no argument'],
    [['help', 'idd'], 'unknown command idd; did you mean id?'],
    [['--help', 'inspct'], 'unknown command inspct; did you mean inspect?'],
    [['keygen'], 'data-dir'],
    [['keygen', '--data-dir', ''], '--data-dir must not be empty'],
    [['id', '--data-dir='], '--data-dir must not be empty'],
    [['inspect', ''], 'the argument HBC must not be empty'],
    [['run', '--', '', 'f'], 'the argument HBC must not be empty'],
    [['id', '--data-dir', 'a', '--data-dir=b'], '--data-dir is given twice'],
    [['inspect'], 'the argument HBC is missing'],
    [['inspect', 'a', 'b'], '2 arguments are given, but the command takes 1'],
    [['run', 'a.hbc', 'greet', 'Ada'], 'takes 2; write an input as --input=Ada'],
    [['completion', 'bash', '--json=yes'], '--json takes no value'],
    [['completion', 'tcsh'], 'SHELL must be one of bash, zsh, fish'],
    [['compile', 'module.rs'], 'SOURCE must be a .ts file, not module.rs'],
  ])('%j is wrong usage', async (args, message) => {
    const name = expect.stringMatching(/^(UsageError|CLIError)$/)
    await expect(dispatch(args)).rejects.toMatchObject({ name, message: expect.stringContaining(message) })
  })

  test.each([
    [['inspct', 'x'], 'See: nodectl --help\n'],
    [['inspect'], 'See: nodectl inspect --help\n'],
    [['keygen'], 'See: nodectl keygen --help\n'],
  ])('%j exits with 2 and points to the help', async (args, pointer) => {
    const { code, stdout, stderr } = await nodectl(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Error: /)
    expect(stderr.endsWith(pointer)).toBe(true)
  })

  test.each(['bash', 'zsh', 'fish'])('completion for %s names every command and its flags', async (shell) => {
    const { code, stdout } = await nodectlHere(['completion', shell])
    expect(code).toBe(0)
    for (const name of Object.keys(commands)) expect(stdout).toContain(name)
    expect(stdout).toContain('data-dir')
    expect(JSON.parse((await nodectlHere(['completion', shell, '--json'])).stdout)).toEqual({
      shell,
      script: stdout,
    })
  })

  test('bash completes the name of a file with a space as one word', async () => {
    const cwd = temporaryFolder()
    writeFileSync(path.join(cwd, 'my module.hbc'), '')
    const { stdout: completion } = await nodectlHere(['completion', 'bash'])
    const program = `${completion}
      COMP_WORDS=(nodectl run my); COMP_CWORD=2; _nodectl; printf '%s\\n' "\${COMPREPLY[@]}"`
    expect(spawnSync('bash', ['-c', program], { cwd, encoding: 'utf8' }).stdout).toBe('my module.hbc\n')
  })

  let script: string | undefined
  test.each([
    ['', ['compile', 'run', 'serve', 'bind', 'doctor', 'help', '--version']],
    ['do', ['doctor']],
    ['serve --hub', ['--hub-url']],
    ['bind --owner', ['--owner', '--owner-key-file']],
    ['service print ', ['print', 'systemd', 'launchd', 'env']],
    ['help un', ['unbind']],
    ['completion f', ['fish']],
  ])('bash completes "nodectl %s"', async (line, words) => {
    script ??= (await nodectl(['completion', 'bash'])).stdout
    const typed = ['nodectl', ...line.split(' ')]
    const program = `${script}
      COMP_WORDS=(${typed.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${typed.length - 1}
      _nodectl; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(words))
  })

  test
    .skipIf(!existsSync('/dev/full'))
    .each([
      [['--version']],
      [['--help']],
      [['completion', 'bash']],
      [['keygen', '--data-dir', path.join(temporaryFolder(), 'node')]],
    ])('%j says in one line that its output cannot be written', async (args) => {
    const full = openSync('/dev/full', 'w')
    const { code, stderr } = await nodectl(args, { stdout: full }).finally(() => closeSync(full))
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^Error: standard output cannot be written: ENOSPC.*\n$/),
    ])
  })

  test('a reader that closes the pipe early is not a failure', () => {
    const script = `"$NODE" "$NODECTL" completion bash | true; echo "\${PIPESTATUS[0]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', script], {
      encoding: 'utf8',
      env: { ...process.env, NODE: process.execPath, NODECTL: path.join(dist, 'nodectl.mjs') },
    })
    expect([stdout, stderr]).toEqual(['0\n', ''])
  })

  test('an older Node gets a message that names the required version', async () => {
    const launcher = readFileSync(path.join(dist, 'nodectl.mjs'), 'utf8')
    expect(launcher).toContain('nodectl needs Node.js 22.13 or newer')
    expect(launcher).not.toMatch(/\bconst\b|\blet\b|=>|^import /m)
    expect(existsSync(path.join(dist, 'main.mjs'))).toBe(true)
  })
})
