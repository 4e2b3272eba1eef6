export const runADevice = {
  title: 'Run a device',
  lead: 'A device runs functions for projects and earns for it. It needs Node.js 22.13 or newer, and no open port.',
  system: 'Where does it run?',
  systems: { checkout: 'This checkout', linux: 'Linux', macos: 'macOS', windows: 'Windows' } as Record<
    string,
    string
  >,
  windowsHint:
    'nodectl runs in the Windows Subsystem for Linux. Open its terminal and use these commands there.',
  done: 'Done',
  steps: {
    wallet: 'Sign in with the wallet that earns',
    walletHint:
      'It owns the device, pays the collateral and receives the rewards. Its key stays in the wallet.',
    walletDone: (address: string) => `Signed in as ${address}`,
    install: 'Install nodectl',
    installHint:
      'The package is not on the npm registry yet. In a checkout of the project, npm pack in node-cli/ makes it.',
    installCheckout: 'Nothing to install: the checkout has it. Run the commands in its folder.',
    key: 'Make the key of the device',
    keyHint:
      'Keep a copy of ./node/node.key in a safe place, and never run one key on two machines: that costs all collateral.',
    checkName: 'Check the machine',
    check:
      'See whether this machine is fit for it. That the device is bound to no wallet yet is the next step:',
    bind: 'Bind it to your wallet',
    bound: (device: string) => `These steps are about ${device}.`,
    another: 'Set up another device',
    bindFirst: 'Sign in first: the command then has the address of your wallet.',
    serve: 'Start it',
    serveHint: 'It occupies the terminal. Stop it with Ctrl-C, and let it finish.',
    serviceName: 'Install the service',
    service:
      'To keep it running after a restart of the machine, stop it in the terminal, and install it as a service, in the same folder. The commands give the service its own user and a copy of ./node with the key, start it and show its log. The last line leaves with Ctrl-C; the service goes on.',
    serviceHints: {
      linux:
        'Node.js and nodectl have to be installed for all users of the system: the service cannot see home directories. Its data is in /var/lib/nodectl from then on; ./node-copy is your copy of it.',
      windows:
        'It takes systemd in the Subsystem: where systemctl says that the system was not booted with it, put systemd=true under [boot] in /etc/wsl.conf, run wsl --shutdown in Windows, and open the terminal again. Node.js and nodectl have to be installed for all users there, outside home directories. Windows ends the Subsystem when none of its terminals is open: keep one open, and open one after each restart of Windows. The data of the service is in /var/lib/nodectl from then on; ./node-copy is your copy of it.',
      macos:
        'Node.js and nodectl have to be installed for all users of the system, not in a home directory. If another account has the number 390 already, take another one from 200 to 400. Its data is in /usr/local/var/nodectl from then on; ./node-copy is your copy of it.',
    } as Record<string, string>,
    work: 'Let it work for a project',
    workHint: 'You bond collateral with a signature. You get it back after unbonding.',
    end: 'See it work',
  },
  device: 'Your device',
  waits: 'Your device appears here as soon as it is bound. This page looks by itself.',
  bound: 'Bound, not online yet. Start it with the command of the step “Start it”.',
  onlineFrom: (time: string, when: string) => `Online. Its work begins on ${time}, ${when}.`,
  noWork: 'Online, but it gets no work at present. The reasons are below.',
  working: 'Online and in work',
  offlineFrom: 'It is bonded, but offline. Start it, and leave it running.',
  notYet: 'Online. It still needs a project to work for.',
  soon: 'Bonded. The hub computes from which epoch on it works; this takes a few seconds.',
  localTime: 'On a local network you need not wait for the next epoch:',
  manage: 'See all your devices',
  why: 'What may keep it from work',
}
