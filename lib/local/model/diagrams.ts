import { truncate } from './text.ts'

interface DiagramFacts {
  description?: string
  /** The devices that the diagram has already. */
  drawn?: { devices: { number: number; name: string }[] }
}

/** Category, kind and pattern of the devices that a name can mean. The first match wins. */
const deviceKinds = [
  ['security', 'Firewall', /\b(?:firewall|fw)\b/i],
  ['network', 'Switch', /\b(?:switch|sw)\b/i],
  ['network', 'Access point', /\b(?:access point|ap)\b/i],
  ['network', 'Router', /\b(?:router|rtr)\b/i],
  ['storage', 'NAS', /\bnas\b/i],
  ['endpoint', 'Printer', /\b(?:printer|prn)\b/i],
  ['infrastructure', 'UPS', /\bups\b/i],
  ['compute', 'Server', /\b(?:server|srv)\b/i],
] as const
const otherKind = ['network', 'Device'] as const

/**
 * Create a diagram from a description. Devices are names in capitals, such as SW-CORE, and counted nouns,
 * such as “3 access points”. In each sentence all are linked to the first.
 */
export function draftDiagram({ description = '', drawn }: DiagramFacts) {
  const drawnDevices = drawn?.devices ?? []
  const names: string[] = []
  const links: { from: number; to: number; label: null }[] = []
  const findOrAddDevice = (name: string): number => {
    const isSame = (other: string) => other.toLowerCase() === name.toLowerCase()
    const drawnNumber = drawnDevices.find((device) => isSame(device.name))?.number
    if (drawnNumber) return drawnNumber
    const index = names.findIndex(isSame)
    return drawnDevices.length + (index < 0 ? names.push(name) : index + 1)
  }
  for (const sentence of description.split(/(?<=[.;!?])\s+|\n+/)) {
    const [first, ...others] = listNames(sentence).map(findOrAddDevice)
    for (const to of new Set(others)) if (first && to !== first) links.push({ from: first, to, label: null })
  }
  const devices = names.slice(0, 200).map((name) => {
    const [category, kind] =
      deviceKinds.find(([, , pattern]) => pattern.test(name.replaceAll('-', ' '))) ?? otherKind
    return { name: truncate(name, 200), category, kind }
  })
  const notes = devices.length > 0 ? '' : `“${truncate(description, 200)}” has no name such as SW-CORE.`
  return { devices, links: links.slice(0, 400), notes }
}

const countedKinds = new RegExp(
  `(?<!\\S)(\\d\\d?) (${deviceKinds.map(([, kind]) => kind).join('|')})e?s\\b`,
  'gi',
)

function listNames(sentence: string): string[] {
  const counted = [...sentence.matchAll(countedKinds)].flatMap(([, count, kind = '']) =>
    Array.from({ length: Number(count) }, (_, n) => `${kind[0]?.toUpperCase()}${kind.slice(1)} ${n + 1}`),
  )
  return [...(sentence.match(/\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b/g) ?? []), ...counted]
}
