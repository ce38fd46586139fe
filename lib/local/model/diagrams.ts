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
const numberWords = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const deviceNouns =
  'access points?|(?:core |layer[- ]\\d )?switch(?:es)?|servers?|hosts?|pcs?|workstations?|laptops?|desktops?|printers?|scanners?|phones?|aps?|routers?|firewalls?|gateways?|modems?|nas|sans?|ups|hypervisors?'
/** A number or an article, at most one adjective, and a noun for a device. */
const phrasePattern = new RegExp(
  `\\b(\\d{1,2}|an?|the|${numberWords.join('|')})\\s+((?:[a-z][a-z-]*\\s+)?(?:${deviceNouns}))\\b`,
  'gi',
)
const linkPattern =
  /\b(?:connect(?:s|ed)?|link(?:s|ed)?|hangs? on|attached|plugged|uplinks?|behind|goes|leads|wired|between)\b|->|→|--/i

/**
 * Create a diagram from a description. Devices are names in capitals such as SW-CORE, phrases such as “3
 * switches” or “a firewall”, and the items of a list. In a sentence that mentions a connection, all devices
 * are linked to the first one, except for what is behind another.
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
    const groups = extractNames(sentence).map((names) => names.map((name) => findOrAddDevice(name, sentence)))
    if (linkPattern.test(sentence))
      for (const [from, to] of linkGroups(groups, sentence)) links.push({ from, to, label: null })
  }
  const notes =
    devices.length === 0
      ? `No device was found in “${truncate(text, 200)}”; name them with codes such as SW-CORE, or one per line.`
      : ''
  return { devices: devices.slice(0, 200), links: links.slice(0, 400), notes }
}

/** Return the names of the devices in a sentence. Those of one phrase, such as “two servers”, are a group. */
function extractNames(sentence: string): string[][] {
  const names = sentence.match(devicePattern) ?? []
  const phrases = [...sentence.matchAll(phrasePattern)].flatMap(([, count = '', noun = '']) => {
    // “the firewall FW-HQ” is one device.
    if (names.length > 0 && /^(?:an?|the|one)$/i.test(count)) return []
    return [listDevices(count.toLowerCase(), noun)]
  })
  if (names.length + phrases.length > 0) return [...names.map((name) => [name]), ...phrases]
  const item = /^\s*[-*•\d.)]+\s*(\S.{0,80}?)\s*$/.exec(sentence)?.[1]
  return item ? [[item.replace(/[.;,]$/, '')]] : []
}

/** Return the names of counted devices: “Core switch” for one, “Server 1” and “Server 2” for two. */
function listDevices(count: string, noun: string): string[] {
  const number = numberWords.includes(count) ? numberWords.indexOf(count) + 1 : Number(count) || 1
  const isPlural = /^\d/.test(count) || number > 1
  const name = isPlural ? (/switches$/i.test(noun) ? noun.slice(0, -2) : noun.replace(/(?<!u)s$/i, '')) : noun
  const capitalName = /^(?:nas|ups|san|ap|pc)$/i.test(name)
    ? name.toUpperCase()
    : (name[0] ?? '').toUpperCase() + name.slice(1)
  return isPlural
    ? Array.from({ length: Math.min(50, number) }, (_, n) => `${capitalName} ${n + 1}`)
    : [capitalName]
}

/** Return the links between the groups of a sentence that mentions a connection. */
function linkGroups(groups: readonly number[][], sentence: string): [number, number][] {
  const linkTo = (from: number | undefined, others: readonly number[]) =>
    [...new Set(others)].flatMap((to): [number, number][] =>
      from === undefined || from === to ? [] : [[from, to]],
    )
  // “a firewall, a switch and two servers behind it” is a chain.
  if (/\bbehind (?:it|them|that)\b/i.test(sentence))
    return groups.slice(1).flatMap((group, index) => linkTo(groups[index]?.[0], group))
  if (/\bbehind\b/i.test(sentence)) return linkTo(groups.at(-1)?.[0], groups.slice(0, -1).flat())
  const [first, ...others] = groups.flat()
  return linkTo(first, others)
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
