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
    keyHint: 'Keep a copy in a safe place, and never run one key on two machines: that costs all collateral.',
    bind: 'Bind it to your wallet',
    bindFirst: 'Sign in first: the command then has the address of your wallet.',
    serve: 'Start it',
    serveHint: 'It occupies the terminal. Stop it with Ctrl-C, and let it finish.',
    service: 'To keep it running after a restart of the machine, install it as a service:',
    work: 'Let it work for a project',
    workHint: 'You bond collateral with a signature. You get it back after unbonding.',
    end: 'See it work',
  },
  device: 'Your device',
  waits: 'Your device appears here as soon as it is bound. This page looks by itself.',
  bound: 'Bound, not online yet. Start it with the command of the step above.',
  onlineFrom: (when: string) => `Online, in work from ${when}`,
  working: 'Online and in work',
  offlineFrom: 'It is bonded, but offline. Start it, and leave it running.',
  notYet: 'Online. It still needs a project to work for.',
  soon: 'Bonded. The hub computes from which epoch on it works; this takes a few seconds.',
  localTime: 'On a local network you need not wait for the next epoch:',
  manage: 'See all your devices',
  why: 'What may keep it from work',
}
