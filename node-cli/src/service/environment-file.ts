import { engineEnvironment } from '../cli/run-request.ts'
import { apiTokenLengthMin, type GivenSettings } from '../serve/config.ts'
import { apiTokenVariable, settingNames, settings, variableOf } from '../serve/flags.ts'

/** An environment file for `serve`: every setting with its description; settings that are not given stay commented out. */
export function environmentFile(given: GivenSettings): string {
  const lines = settingNames.map((name) => {
    const { description, default: fallback, hint } = settings[name]
    const value = given[name]
    return `# ${description}${fallback === '' ? '' : ` (default ${fallback})`}
${value === undefined ? `#${variableOf(name)}=<${hint}>` : `${variableOf(name)}=${quoted(value)}`}
`
  })
  const [engineVariable, engineEffect] = engineEnvironment
  return `# Settings of nodectl serve. It may hold a token, so it is for its owner alone: chmod 600.

${lines.join('\n')}
# Token that callers of the node's own API send, ${apiTokenLengthMin} characters at least: openssl rand -hex 32
#${apiTokenVariable}=

# ${engineEffect}
#${engineVariable}=
`
}

/** As both systemd and a shell read it back. */
const quoted = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `"${value.replace(/["\\$`]/g, '\\$&')}"`
