import { truncate } from './text.ts'

interface DiagramFacts {
  description?: string
  /** The devices that the diagram has already. */
  drawn?: { devices: { number: number; name: string }[] }
}

/** Category, kind and pattern of the devices that a name can mean. The first match wins. */
const deviceKinds = [
  ['security', 'Firewall', /\b(?:firewall|fw|utm|fortigate)\b/i],
  ['network', 'Switch', /\b(?:switch|sw)\b/i],
  ['network', 'Router', /\b(?:router|gateway|modem|rtr)\b/i],
  ['network', 'Access point', /\b(?:access points?|aps?|wlan|wi-?fi)\b/i],
  ['storage', 'NAS', /\b(?:nas|san|storage|backup)\b/i],
  ['cloud', 'Cloud', /\b(?:cloud|internet|azure|aws|microsoft 365|saas)\b/i],
  ['endpoint', 'Printer', /\b(?:printer|plotter|prn)\b/i],
  ['endpoint', 'Workstation', /\b(?:pcs?|laptops?|workstations?|clients?|desktops?|phones?)\b/i],
  ['infrastructure', 'UPS', /\b(?:ups|rack|pdu)\b/i],
  ['compute', 'Server', /\b(?:servers?|srv|dc|host|esxi|hypervisor|vm)\b/i],
] as const

const devicePattern = /\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b/g
const countedPattern =
  /\b(\d{1,2})\s+((?:[a-z-]+ )?(?:access points|switches|servers|pcs|workstations|laptops|printers|aps|routers|firewalls|phones))\b/gi
const linkPattern = /\b(?:connect(?:s|ed)?|link(?:s|ed)?|hangs? on|attached|plugged|uplinks?|behind|goes|leads|wired|between)\b|->|→|--/i

/**
 * Create a diagram from a description. Devices are names in capitals such as SW-CORE, counted devices such as “3 switches”, and the items
 * of a list. In a sentence that mentions a connection, all devices are linked to the first one.
 */
export function createDiagramDraft(facts: DiagramFacts) {
  const text = facts.description ?? ''
  const drawn = facts.drawn?.devices ?? []
  const devices: { name: string; category: (typeof deviceKinds)[number][0]; kind: string }[] = []
  const links: { from: number; to: number; label: string | null }[] = []
  const findOrAddDevice = (name: string, sentence: string): number => {
    const existing = drawn.find((device) => device.name.toLowerCase() === name.toLowerCase())
    if (existing) return existing.number
    const index = devices.findIndex((device) => device.name.toLowerCase() === name.toLowerCase())
    if (index >= 0) return drawn.length + index + 1
    const [category, kind] = findKind(name, sentence)
    devices.push({ name: truncate(name, 200), category, kind })
    return drawn.length + devices.length
  }
  for (const sentence of text.split(/(?<=[.;!?])\s+|\n+/)) {
    const numbers = extractNames(sentence).map((name) => findOrAddDevice(name, sentence))
    const [first, ...others] = [...new Set(numbers)]
    if (first !== undefined && linkPattern.test(sentence)) for (const to of others) links.push({ from: first, to, label: null })
  }
  const notes =
    devices.length === 0 ? `No device was found in “${truncate(text, 200)}”; name them with codes such as SW-CORE, or one per line.` : ''
  return { devices: devices.slice(0, 200), links: links.slice(0, 400), notes }
}

function extractNames(sentence: string): string[] {
  const names = sentence.match(devicePattern) ?? []
  const countedNames = [...sentence.matchAll(countedPattern)].flatMap(([, count = '1', plural = '']) => {
    const singular = /switches$/i.test(plural) ? plural.slice(0, -2) : plural.replace(/s$/i, '')
    return Array.from({ length: Math.min(50, Number(count)) }, (_, n) => `${singular} ${n + 1}`)
  })
  if (names.length + countedNames.length > 0) return [...names, ...countedNames]
  const item = /^\s*[-*•\d.)]+\s*(\S.{0,80}?)\s*$/.exec(sentence)?.[1]
  return item ? [item.replace(/[.;,]$/, '')] : []
}

/** Find the kind of a device by its name, or else by the words around it. */
function findKind(name: string, sentence: string): readonly [(typeof deviceKinds)[number][0], string] {
  const index = sentence.indexOf(name)
  const context = sentence.slice(Math.max(0, index - 30), index + name.length + 5)
  const match =
    deviceKinds.find(([, , pattern]) => pattern.test(name.replaceAll('-', ' '))) ??
    deviceKinds.find(([, , pattern]) => pattern.test(context))
  return match ? [match[0], match[1]] : ['network', 'Device']
}
