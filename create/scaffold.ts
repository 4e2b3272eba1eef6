import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isSlug } from '../protocol/identity/index.ts'
import { CommandError, UsageError } from '../scripts/command/errors.ts'
import { layout } from './layout.ts'
import packageJson from './package.json' with { type: 'json' }

const template = path.join(import.meta.dirname, '../template')

/**
 * Writes a project into a new or empty folder, which gives it its slug.
 *
 * @throws {@link UsageError}, {@link CommandError} for a folder that cannot be written.
 */
export function scaffold(folder: string): void {
  const slug = path.basename(path.resolve(folder))
  if (!isSlug(slug))
    throw new UsageError(
      `${JSON.stringify(slug)} cannot be the name of a project: use 3 to 48 of a-z, 0-9 and hyphens, with no hyphen at either end, such as my-project.`,
    )
  if (!isFree(folder)) throw new UsageError(`${folder} exists and is not an empty folder. Name a new one.`)
  orRefuse(() => mkdirSync(folder, { recursive: true }))
  const write = (file: string, text: string) =>
    orRefuse(() => {
      const target = path.join(folder, file)
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, text)
    })
  const read = (file: string) => readFileSync(path.join(template, file), 'utf8')
  // npm publishes no file under these names, or reads it as its own.
  for (const [file, source] of [
    [layout.module, layout.module],
    [layout.samples, layout.samples],
    ['.gitignore', 'gitignore'],
    ['.github/workflows/test.yml', 'workflow.yml'],
    ['README.md', 'readme.md'],
  ] as const)
    write(file, read(source).replaceAll('{{slug}}', slug))
  const manifest = JSON.parse(read(layout.manifest))
  const named = { ...manifest, slug, listing: { ...manifest.listing, name: slug } }
  write(layout.manifest, json(named))
  const { name, version } = packageJson
  const project = JSON.parse(read('project.json'))
  write('package.json', json({ ...project, name: slug, devDependencies: { [name]: `^${version}` } }))
}

/** @throws {@link CommandError} for what the system refuses. */
function orRefuse(work: () => void): void {
  try {
    work()
  } catch (error) {
    throw new CommandError(`The project cannot be written: ${(error as Error).message}.`)
  }
}

function isFree(folder: string): boolean {
  try {
    return readdirSync(folder).every((name) => name === '.git')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
