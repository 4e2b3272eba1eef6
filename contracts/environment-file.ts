import { readFileSync, writeFileSync } from 'node:fs'
import { DeployError, type Deployment } from './deploy.ts'

type Written = Pick<Deployment, 'contracts' | 'startBlock'>

/** The text of an environment with the start block and the addresses of a deployment; all else stays as it is. @throws {@link DeployError} */
function withDeployment(text: string, { contracts, startBlock }: Written): string {
  return Object.entries({ start_block: startBlock, ...contracts }).reduce((whole, [name, value]) => {
    const line = new RegExp(`^${name} *=[^#\\n]*`, 'm')
    if (!line.test(whole))
      throw new DeployError(
        `--write: the file has no line \`${name} = …\`: copy it from deploy/example.toml.`,
      )
    return whole.replace(line, `${name} = ${JSON.stringify(value)}`)
  }, text)
}

/** Writes a deployment into the file of an environment, or only sees whether it could. @throws {@link DeployError} */
export function writeDeployment(file: string, deployment: Written, { isTrial = false } = {}): void {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new DeployError(`--write: ${file} cannot be read: copy deploy/example.toml to it.`)
  }
  const written = withDeployment(text, deployment)
  if (!isTrial) writeFileSync(file, written)
}
