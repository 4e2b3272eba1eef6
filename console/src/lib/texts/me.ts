export const me = {
  title: 'My devices',
  devices: {
    title: 'Devices',
    device: 'Device',
    none: 'No device yet',
    noneHint: 'A device appears here when nodectl bind has bound it to your wallet.',
  },
}
