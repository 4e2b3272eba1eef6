import path from 'node:path'
import { shellWord } from '../cli/shell-word.ts'
import { allocatorEnvironment } from './allocator-environment.ts'
import type { ServiceOptions } from './service-options.ts'

export const systemdFile = '/etc/systemd/system/nodectl.service'

/** The user and the data directory of a service, if the options name none. */
export const usual = { user: 'nodectl', dataDir: '/var/lib/nodectl' } as const

/** The folder in which systemd makes a directory for a service, owned by its user. */
const stateFolder = '/var/lib'

/**
 * A systemd unit that runs `serve`. The service sees the system read-only, no home directory and no device, and writes to
 * its data directory alone. Memory may be made executable, because V8 compiles modules at run time.
 */
export function systemdUnit({ command, flags, user, dataDir, environmentFile }: ServiceOptions): string {
  const allocator = Object.entries(allocatorEnvironment)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
  const isState = path.dirname(dataDir) === stateFolder && /^[\w.-]+$/.test(path.basename(dataDir))
  const folder = shellWord(dataDir)
  const again = [
    ...(user === usual.user ? [] : [` --user ${user}`]),
    ...(dataDir === usual.dataDir ? [] : [` --data-dir ${folder}`]),
  ].join('')
  return `# Install, as root:
#   useradd --system --shell /usr/sbin/nologin ${user}
# Stop a node that ran in ./node until now, and move it with its key:
#   mkdir ${folder} && cp -pR ./node/. ${folder} && chown -R ${user} ${folder} && chmod 700 ${folder} && mv ./node ./node-copy
# Write its settings (options go after env) and this unit:
#   nodectl service print env${again} > ${environmentFile} && chmod 600 ${environmentFile}
#   nodectl service print systemd${again} > ${systemdFile}
#   systemctl daemon-reload && systemctl enable --now nodectl
# Follow its log: journalctl -fu nodectl

[Unit]
Description=nodectl, a node of the network
Documentation=man:nodectl-serve(1)
Wants=network-online.target
After=network-online.target
# A node that cannot start now is tried again for as long as it takes.
StartLimitIntervalSec=0

[Service]
Type=exec
User=${user}
# An idle node gives its memory back.
Environment=${allocator}
EnvironmentFile=${environmentFile}
ExecStart=${[...command, 'serve', ...flags].map(quoted).join(' ')}
Restart=on-failure
RestartSec=5
# serve lets executions end for 10 s.
TimeoutStopSec=20
LimitNOFILE=65536
UMask=0077
${isState ? `StateDirectory=${quoted(path.basename(dataDir))}\nStateDirectoryMode=0700\n` : ''}ReadWritePaths=${quoted(dataDir)}
NoNewPrivileges=true
ProtectSystem=strict
ProtectHome=true
PrivateTmp=true
PrivateDevices=true
ProtectClock=true
ProtectControlGroups=true
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=true
RestrictRealtime=true
RestrictSUIDSGID=true
LockPersonality=true
CapabilityBoundingSet=
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
`
}

/** A word of a systemd command line: `%` and `$` stand for something else there. */
const quoted = (word: string): string => {
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./$-]+$/.test(word) ? escaped : `"${escaped.replace(/["\\]/g, '\\$&')}"`
}
