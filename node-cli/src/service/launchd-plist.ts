import { shellWord } from '../cli/shell-word.ts'
import type { ServiceOptions } from './service-options.ts'

export const launchdFile = '/Library/LaunchDaemons/nodectl.plist'

const logFile = '/var/log/nodectl.log'

/** Exports the lines of the file named first, and becomes the program named then. */
const withEnvironment = 'set -a; . "$0"; exec "$@"'

/** A launchd daemon that runs `serve`. launchd reads no environment files, so a shell does. */
export function launchdPlist({ command, flags, user, dataDir, environmentFile }: ServiceOptions): string {
  const program = ['/bin/sh', '-c', withEnvironment, environmentFile, ...command, 'serve', ...flags]
  const folder = commented(shellWord(dataDir))
  return `<?xml version="1.0" encoding="UTF-8"?>
<!--
  Install, as root:
    sysadminctl -addUser ${commented(user)} -UID 390 -roleAccount
    mkdir -p ${folder} && chown ${commented(user)} ${folder} && chmod 700 ${folder}
  Stop a node that ran in ./node until now, and move it with its key:
    cp -pR ./node/. ${folder} && chown -R ${commented(user)} ${folder} && mv ./node ./node-copy
  Write its settings (options go after env) and this daemon:
    nodectl service print env > ${commented(environmentFile)} && chown ${commented(user)} ${commented(environmentFile)} && chmod 600 ${commented(environmentFile)}
    nodectl service print launchd > ${launchdFile}
    launchctl bootstrap system ${launchdFile}
  Follow its log: tail -f ${logFile}
  Nothing shortens it. Empty it while the node runs: true > ${logFile}
-->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>nodectl</string>
  <key>ProgramArguments</key>
  <array>
${program.map((word) => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
  <key>UserName</key>
  <string>${escaped(user)}</string>
  <key>WorkingDirectory</key>
  <string>${escaped(dataDir)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>ExitTimeOut</key>
  <integer>20</integer>
  <key>Umask</key>
  <integer>${0o077}</integer>
  <key>SoftResourceLimits</key>
  <dict>
    <key>NumberOfFiles</key>
    <integer>65536</integer>
  </dict>
  <key>StandardErrorPath</key>
  <string>${logFile}</string>
</dict>
</plist>
`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Two hyphens would end a comment. */
const commented = (text: string): string => text.replaceAll('--', '- -')
