import { normalizeCommandName } from './bash/syntax.ts'
import type { ParsedTemplate } from './placeholders.ts'

/** Programs of Windows that scripts of technicians call; others are found by `.exe`. */
const nativePrograms = new Set(
  (
    'arp attrib auditpol bcdedit bitsadmin bootrec certutil chkdsk cipher cmdkey compact defrag diskpart dism dsadd dsmod dsquery eventcreate ' +
    'fsutil gpresult gpupdate icacls ipconfig klist manage-bde msg msiexec nbtstat net net1 netdom netsh netstat nltest nslookup pathping ' +
    'ping pnputil powercfg psexec query quser reg regsvr32 robocopy route runas sc schtasks setspn sfc shutdown slmgr systeminfo takeown ' +
    'taskkill tasklist tracert vssadmin w32tm wbadmin wevtutil winget winrm wmic xcopy'
  ).split(' '),
)
/** What ends the statement before a command. */
const statementEnd = /[\n;|{}(&]/

/**
 * Return the placeholders that are arguments of a program, with its name, by their start. Windows PowerShell
 * 5.1 passes some values to a program changed:
 * https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_parsing
 */
export function findNativeArguments({ text, placeholders }: ParsedTemplate): Map<number, string> {
  const found = new Map<number, string>()
  for (const { start } of placeholders) {
    let from = start
    while (from > 0 && start - from < maxStatementLength && !statementEnd.test(text[from - 1] ?? '')) from--
    const [word = ''] = /^\s*['"]?[^\s'"]+/.exec(text.slice(from, start)) ?? []
    const program = word.trim().replace(/^['"]/, '')
    const name = normalizeCommandName(program)
    if (/\.exe$/i.test(program) || nativePrograms.has(name)) found.set(start, name)
  }
  return found
}

const maxStatementLength = 300

/** Return whether a program gets another argument than this text. */
export function isPassedChanged(value: string): boolean {
  return value === '' || value.includes('"') || (value.endsWith('\\') && /\s/.test(value))
}
