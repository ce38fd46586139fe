import type { Language, ScriptRisk } from '#rules/scripts/schema.ts'

// What a script can do, found by reading it. Nothing here executes a script or judges whether its values are
// safe.

export type FoundRisk = Exclude<ScriptRisk, 'low'>

/**
 * Stands in a text for a part that is known only while the script runs. The name of a variable follows it.
 */
export const unknownMark = '\u{f8ff}'

/** A text that is executed by the script, in a language of scripts or in that of cmd.exe. */
export type TextLanguage = Language | 'cmd'

export interface RiskContext {
  /**
   * Where in the script the reader is. A text inside the script keeps the position of the command that
   * executes it.
   */
  moveTo(position: number): void
  add(risk: FoundRisk, reason: string): void
  requireElevation(reason: string): void
  /** Assess a text that the script executes. */
  assessText(language: TextLanguage, text: string): void
  /** Files that the script downloads, as they are written in it. */
  downloads: Set<string>
  /** Files and programs that the script executes, as they are written in it. */
  executed: Set<string>
}

export const executesComputedText = 'executes text that the script computes or reads'
export const executesDownload = 'executes what the script downloads'
export const deletesFiles = 'deletes files or folders'
export const needsAdministrator = 'asks for administrator rights'

export function isUnknown(text: string): boolean {
  return text.includes(unknownMark)
}

/** Services that protect or observe a computer. Stopping another service is as harmless as restarting it. */
export const securityService =
  /^(windefend|wdnissvc|mpssvc|bfe|sense|wscsvc|securityhealthservice|mdcoresvc|eventlog|sysmon\d*|sophos.*|sav\w*|crowdstrike.*|cs(falcon)?\w*service|csagent|falcon-sensor|sentinel\w*|carbonblack.*|cb(defense|daemon)\w*|symantec.*|mcafee.*|mfe\w+|ekrn|eset.*|avp.*|kaspersky.*|bdservicehost|bitdefender.*|mbam\w*|malwarebytes.*|wrsvc|huntress\w*|cylance\w*|ntrtscan|tmlisten|threatlocker\w*|vss|ntds|kdc|netlogon|firewalld|ufw|iptables|nftables|fail2ban|apparmor|auditd?|clam\w*|clamav\S*|ossec\S*|wazuh\S*|mdatp|r?syslog|systemd-journald|selinux\S*|sshd?)(\.service)?$/i
/** Their names anywhere in a text, without what may follow. */
export const securityServiceName = new RegExp(
  securityService.source
    .slice(1, -'(\\.service)?$'.length)
    .replace(/(?:\.|\\[wSd])\*/g, '')
    .replace(/\\w\+(?=[|)])/g, '\\w'),
  'i',
)
