import { cut } from './words.ts'

interface Network {
  description?: string
  drawn?: { devices: { number: number; name: string }[] }
}

const kinds = [
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

const code = /\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b/g
const many =
  /\b(\d{1,2})\s+((?:[a-z-]+ )?(?:access points|switches|servers|pcs|workstations|laptops|printers|aps|routers|firewalls|phones))\b/gi
const joined = /\b(?:connect(?:s|ed)?|link(?:s|ed)?|hangs? on|attached|plugged|uplinks?|behind|goes|leads|wired|between)\b|->|→|--/i

/** Devices are what has a code of capitals, what is counted, and in a list each line; what one sentence joins is linked to its first. */
export function diagramDraft(facts: Network) {
  const text = facts.description ?? ''
  const drawn = facts.drawn?.devices ?? []
  const devices: { name: string; category: (typeof kinds)[number][0]; kind: string }[] = []
  const links: { from: number; to: number; label: string | null }[] = []
  const numberOf = (name: string, about: string): number => {
    const there = drawn.find((device) => device.name.toLowerCase() === name.toLowerCase())
    if (there) return there.number
    const at = devices.findIndex((device) => device.name.toLowerCase() === name.toLowerCase())
    if (at >= 0) return drawn.length + at + 1
    const [category, kind] = kindOf(name, about)
    devices.push({ name: cut(name, 200), category, kind })
    return drawn.length + devices.length
  }
  for (const sentence of text.split(/(?<=[.;!?])\s+|\n+/)) {
    const numbers = namesIn(sentence).map((name) => numberOf(name, sentence))
    const [first, ...others] = [...new Set(numbers)]
    if (first !== undefined && joined.test(sentence)) for (const to of others) links.push({ from: first, to, label: null })
  }
  const notes =
    devices.length === 0 ? `No device was found in “${cut(text, 200)}”; name them with codes such as SW-CORE, or one per line.` : ''
  return { devices: devices.slice(0, 200), links: links.slice(0, 400), notes }
}

function namesIn(sentence: string): string[] {
  const codes = sentence.match(code) ?? []
  const counted = [...sentence.matchAll(many)].flatMap(([, count = '1', what = '']) => {
    const one = what.replace(/(?:es|s)$/i, (ending) => (/switches$/i.test(what) ? '' : ending === 'es' ? 'e' : ''))
    return Array.from({ length: Math.min(50, Number(count)) }, (_, n) => `${one} ${n + 1}`)
  })
  if (codes.length + counted.length > 0) return [...codes, ...counted]
  const item = /^\s*[-*•\d.)]+\s*(\S.{0,80}?)\s*$/.exec(sentence)?.[1]
  return item ? [item.replace(/[.;,]$/, '')] : []
}

/** By the name itself, else by the words around it. */
function kindOf(name: string, about: string): readonly [(typeof kinds)[number][0], string] {
  const near = about.slice(Math.max(0, about.indexOf(name) - 30), about.indexOf(name) + name.length + 5)
  const found = kinds.find(([, , pattern]) => pattern.test(name.replaceAll('-', ' '))) ?? kinds.find(([, , pattern]) => pattern.test(near))
  return found ? [found[0], found[1]] : ['network', 'Device']
}
