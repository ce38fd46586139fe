import { collectText, extractFindings, type Facts, type Turn } from './facts.ts'

const signs = [
  /ransom|encrypted (?:by|files)|\.(?:lockbit|akira)\b|l[öo]segeld|verschl[üu]sselte dateien|v[ýy]kupn/i,
  /phish|clicked (?:the|a|on) .{0,40}link|typed .{0,20}password|heslo .{0,30}(?:zadal|uniklo)/i,
  /leaked|public repository|unknown sign-in|new local admin|(?:defender|antivirus).{0,20}(?:is|was) off/i,
]

const steps = [
  'Disconnect the machine from the network, or block the account and end its sessions. Leave the machine switched on.',
  'Keep the evidence: notes, mails with their headers, logs, times, names of accounts and machines.',
  'Call the security lead now. Until then: no restart, no cleaning, no restore.',
]

const isAttack = (facts: Facts, turns: readonly Turn[]) =>
  signs.some((sign) => sign.test(collectText(facts, turns)))

/** Answer a chat message about a sign of an attack, or return null. */
export function answerAttack(facts: Facts, turns: readonly Turn[]) {
  if (!isAttack(facts, turns)) return null
  const reply = `This may be an attack, so security comes first:\n\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`
  const findings = extractFindings(facts, turns, undefined, undefined)
  return { reply, citations: [], findings, questions: [], actions: [], fix: null, outcome: null }
}

/** Return the next step of a guided session about a sign of an attack, or null. */
export function nextAttackStep(facts: Facts, turns: readonly Turn[]) {
  const text = steps[(facts.steps ?? []).length]
  if (!text || !isAttack(facts, turns)) return null
  const findings = extractFindings(facts, turns, undefined, undefined)
  const rationale = 'This may be an attack, and evidence and other machines are in danger.'
  return { kind: 'action' as const, text, options: [], rationale, citations: [], findings, fix: null }
}
