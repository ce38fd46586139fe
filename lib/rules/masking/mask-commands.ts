// Masks passwords and keys in command lines of Linux, Windows, PowerShell and databases. A command line ends
// at a line break.

import { isDescription, secretMask } from './secret-labels.ts'

/** A value of an option: quoted, or without spaces. It is not masked yet. */
const value = `(?!["']?\\[masked|(?:IP|email|path|secret)\\])("[^"\\n]{1,256}"|'[^'\\n]{1,256}'|[^\\s"'<>|]{1,256})`
/**
 * Up to 20 arguments before the secret. A masked path or address counts as one, and never as two, which would
 * double the ways per argument.
 */
const args =
  '(?:[ \\t]{1,4}(?:\\[masked [a-z0-9]{1,10}(?: [a-zA-Z]{1,10})?\\]\\S{0,80}|"[^"\\n]{0,200}"|\'[^\'\\n]{0,200}\'|(?!\\[masked )[^\\s"\']{1,200})){0,20}?'
const gap = '[ \\t]{1,4}'

/** A command, and what is between it and its secret. `%` stands for any arguments. */
type Command = readonly [command: string, before: string]

/** Windows commands ignore case. */
const windowsCommands: readonly Command[] = [
  ['net1?(?:\\.exe)? user', `${gap}(?:"[^"\\n]{1,60}"|[^\\s/"]{1,60})${gap}(?![/*])`],
  [
    'net1?(?:\\.exe)? use',
    `${gap}(?:\\w:${gap}|\\*${gap})?(?:\\[masked path\\]|\\\\\\\\\\S{1,120})(?:${gap}/u(?:ser)?:\\S{1,80})?${gap}(?![/*])`,
  ],
  ['net1?(?:\\.exe)? use', `%${gap}/u(?:ser)?:\\S{1,80}${gap}(?![/*\\\\])`],
  ['(?:ps\\w{3,10}(?:64)?(?:\\.exe)?)', `%${gap}-p${gap}`],
  ['sqlplus|sqlldr|exp|imp', `${gap}[\\w.]{1,60}/(?=[^\\s@]{1,80})`],
  ['winrs|[xw]?freerdp|mstsc', `%${gap}[/-]p:`],
  ['schtasks(?:\\.exe)?', `%${gap}/rp${gap}`],
  ['sc(?:\\.exe)?', `${gap}(?:config|create)%${gap}password=[ \\t]{1,4}`],
  ['netdom|djoin', `%${gap}/p(?:asswordd|d|o|asswordo):`],
  ['ds(?:add|mod)', `%${gap}-pwd${gap}`],
  ['runas(?:\\.exe)?', `${gap}/user:\\S{1,60}%${gap}(?:cmd|powershell|mmc|\\S{1,40}\\.exe)${gap}(?![/-])`],
  ['manage-bde', `%${gap}-(?:rp|recoverypassword|pw)${gap}(?=\\d)`],
  ['slmgr(?:\\.vbs)?|ospp\\.vbs', `%${gap}/(?:ipk${gap}|inpkey:)`],
  ['setx?', `${gap}["']?\\w{0,40}(?:PASS(?:WORD)?|PWD|SECRET|TOKEN|KEY)(?:=|${gap})(?=[^\\s]{0,60}\\d)`],
  ['netsh', `%${gap}(?:key|keymaterial|userkey)=(?!clear)`],
  ['rasdial(?:\\.exe)?', `${gap}(?:"[^"\\n]{1,80}"|[^\\s/"]{1,80})${gap}[^\\s/]{1,80}${gap}(?![/*])`],
  ['plink|pscp|psftp|putty|kitty|mputty|winscp', `%${gap}-pw${gap}`],
  ['bitsadmin', `${gap}/setcredentials${gap}\\S{1,60}${gap}\\w{1,10}${gap}\\w{1,10}${gap}\\S{1,60}${gap}`],
]

const unixCommands: readonly Command[] = [
  ['sqlcmd|osql|isql|bcp|ipmitool|mosquitto_(?:pub|sub|rr)', `%${gap}-P[ \\t]{0,4}`],
  ['mysql\\w{0,8}|mariadb\\w{0,8}', `%${gap}-p(?![ \\t-])`],
  ['mysqladmin', `%${gap}password${gap}`],
  [
    'mongo\\w{0,8}|(?:docker|podman|buildah|helm registry)[ ]login|sshpass|rdesktop|crackmapexec|netexec|nxc|evil-winrm|esxcli|az|psexec\\w{0,4}|security|ldapadd',
    `%${gap}(?:-p|--password)${gap}`,
  ],
  ['esxcli', `%${gap}-c${gap}`],
  ['crackmapexec|netexec|nxc|evil-winrm', `%${gap}-H${gap}`],
  ['sshpass', `${gap}-p[ \\t]{0,4}`],
  ['curl|http|https|lftp|wget', `%${gap}(?:-u|--user|-a|--auth)[ =\\t]{0,4}["']?[^\\s:,"']{1,100}[:,]`],
  ['ftp>', `${gap}user${gap}\\S{1,60}${gap}`],
  ['user(?:add|mod)', `%${gap}(?:-p|--password)${gap}`],
  ['mkpasswd', `%${gap}(?:sha-512|sha-256|md5|yescrypt|-s)${gap}`],
  ['openssl passwd', `(?:${gap}-[\\w]{1,10}){1,4}${gap}`],
  [
    'openssl',
    `%${gap}(?:-[kK]${gap}|-passin pass:|-passout pass:|-password pass:|-pass pass:)(?!\\S{1,40}\\.)`,
  ],
  ['keytool|jarsigner|apksigner', `%${gap}-(?:storepass|keypass|srcstorepass|deststorepass|new)${gap}`],
  ['ssh-keygen', `%${gap}-[NP]${gap}`],
  ['htpasswd', `${gap}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}${gap}\\S{1,120}${gap}\\S{1,60}${gap}`],
  ['ldap(?:search|modify|add|delete|passwd|whoami)', `%${gap}-w${gap}`],
  [
    'smbclient|winexe|rpcclient|smbmap|smbget|net rpc|net ads|wmic',
    `%${gap}(?:-U|--user)[ =\\t]{1,4}["']?[^\\s%"']{1,80}%`,
  ],
  ['smbclient', `${gap}(?:\\[masked path\\]|//\\S{1,120})${gap}(?!-)`],
  ['7z[ar]?|unrar|rar', `%${gap}-h?p(?![ \\t])`],
  ['zip|unzip|zipcloak', `%${gap}-P${gap}`],
  ['redis-cli|keydb-cli|valkey-cli', `%${gap}(?:-a|--pass)${gap}`],
  ['(?:CONFIG SET )?requirepass|masterauth', gap],
  ['AUTH', `${gap}(?=[^\\s]{0,60}\\d)(?![a-z]{1,40}\\b)`],
  ['vault login', `${gap}(?:token=)?(?!-)`],
  ['doctl|hcloud|flyctl|linode-cli', `%${gap}-t${gap}(?=\\w{20})`],
  ['(?:\\w{1,20} )?config(?:ure)? set', `%${gap}\\S{0,60}(?:secret|token|password|key)\\w{0,20}${gap}`],
  ['rclone obscure|ansible-vault encrypt_string|wpa_passphrase\\s{1,4}\\S{1,60}', gap],
  ['radtest', `${gap}\\S{1,60}${gap}`],
  [
    'radtest',
    `${gap}\\S{1,60}${gap}(?:\\[masked secret\\]|\\S{1,80})${gap}(?:\\[masked IP\\]|\\S{1,60})${gap}\\d{1,6}${gap}`,
  ],
  ['snmp(?:walk|get|bulkwalk|bulkget|getnext|set|table|status|trap)', `%${gap}-[cAX]${gap}`],
  ['networksetup', `${gap}-setairportnetwork${gap}\\S{1,20}${gap}(?:"[^"\\n]{1,60}"|\\S{1,60})${gap}`],
  ['security', `%${gap}-w${gap}`],
  ['dscl|sysadminctl', `%${gap}(?:-passwd${gap}\\S{1,80}|-password|-newPassword|-adminPassword)${gap}`],
  ['(?:x11vnc|vnc\\w{1,10})', `%${gap}-passwd${gap}`],
  [
    '(?:impacket-)?(?:secretsdump|psexec|wmiexec|smbexec|getTGT|GetNPUsers|atexec|dcomexec)(?:\\.py)?',
    `%${gap}["']?[^\\s:"']{1,80}:(?=[^\\s@]{1,80}@)`,
  ],
  ['racadm|idracadm7?|restic|borg|certutil', `%${gap}-p${gap}`],
  ['racadm', `${gap}set${gap}\\S{1,60}Password${gap}`],
  [
    'echo|printf',
    `(?:${gap}-[en]{1,2})?${gap}(?=[^|\\n]{1,200}\\|[ \\t]{0,4}(?:sudo[ ](?:-\\S{1,4}[ ])?)?(?:passwd|chpasswd|runas|docker|podman|cryptsetup|\\S{0,20}anydesk|sudo|helm|gh))(?:["']?[\\w.-]{1,40}:(?=\\S{1,80}["']?[ ]{1,4}\\|))?`,
  ],
  ['sudo -S[^\\n|]{0,80}<<<', `[ \\t]{0,4}`],
]

/** Prefixes of values that need no command: options with unmistakable names, SQL, PowerShell. */
const prefixes: readonly string[] = [
  `[/-](?:pass(?:word|wd|phrase)?|pw|pwd)[:=]`,
  `(?<!\\w)[a-z][a-z_]{0,30}key=(?=[^\\s]{0,80}\\d)(?=[^\\s]{6})`,
  `(?<!\\w)[a-z_]{1,30}pass=(?=\\S{6})`,
  `--password-command[ =]`,
  `(?<![\\w-]|(?:mysql|mariadb)[^\\n]{0,80})--?[\\w-]{0,20}(?:password|passwd|passphrase|passwort|secret|token|api-?key|account-key|access-key|pass|pw)(?:=|[ \\t]{1,4})(?![ \\t-]|/Users/)`,
  `(?<![\\w-])-\\w{0,20}(?:Password|Passphrase|Secret|Token|ApiKey)${gap}(?![\\s($@-])`,
  `(?<!\\w)(?:user(?:name)?|u)=[^\\s,]{1,60},(?:pass(?:word)?)=`,
  `IDENTIFIED[ ](?:WITH[ ]\\S{1,40}[ ])?BY[ ](?:PASSWORD[ ])?`,
  `(?<!\\w)(?:WITH|SET|ENCRYPTED)[ ](?:LOGIN[ ])?PASSWORD[ ]?=?[ ]?N?(?=')`,
  `NetworkCredential(?:\\]::new)?\\([ ]?["'][^"'\\n]{0,80}["'],[ ]?(?=["'])`,
  `PSCredential[ ]?\\(?[ ]?["'][^"'\\n]{0,80}["'],[ ]?\\(?(?=["'])`,
  `PSCredential[ ]["'][^"'\\n]{0,80}["'],[ ]?(?=["'])`,
  `(?<!\\w)auth[ ]?=[ ]?\\([ ]?["'][^"'\\n]{0,80}["'],[ ]?(?=["'])`,
  `ConvertTo-SecureString${gap}(?:-(?:String|AsPlainText|Force)${gap}){0,3}(?![\\s-])`,
  `-Credential${gap}\\([\\w-]{1,40}${gap}[^\\s()]{1,60}${gap}(?=["'])`,
  // A user and a password with letters and digits, of any command: -u ann -p …
  `(?<![\\w-])-(?:u|l|-user|-username)[ =](?<!(?:mysql|mariadb)[^\\n]{0,80})\\S{1,60}(?:${gap}(?!-p)\\S{1,60}){0,4}${gap}-(?:p|pw)${gap}(?=\\S{0,60}\\d)(?=\\S{0,60}[a-z])(?!\\d{1,5}[:./])`,
  `(?<=[\\w/])jdbc:oracle:thin:[\\w.]{1,60}/(?=[^\\s@]{1,80}@)`,
  `jdbc:oracle:thin:[\\w.]{1,60}/(?=[^\\s@]{1,80}@)`,
  `machine[ ]\\S{1,80}[ ]login[ ]\\S{1,80}[ ]password[ ]`,
  `(?:_authToken|_password|_auth)(?:=|[ ]{1,4})`,
]

function buildPattern(commands: readonly Command[], options: readonly string[], flags: string): RegExp {
  const alternatives = commands.map(
    ([command, before]) => `(?<![\\w.-])(?:${command})${before.replace('%', () => args)}`,
  )
  return new RegExp(`(${[...alternatives, ...options].join('|')})${value}`, flags)
}
const patterns = [buildPattern(windowsCommands, prefixes, 'giu'), buildPattern(unixCommands, [], 'gu')]
const piped = /("[^"\n]{1,256}"|'[^'\n]{1,256}')(?=[ \t]{0,4}\|[ \t]{0,4}ConvertTo-SecureString)/gi

/** Each pass masks one secret of a command; a command has up to three. */
const maxPasses = 3

/** Mask the secrets of all command lines in a text. */
export function maskCommands(text: string): string {
  let masked = text.replace(piped, secretMask)
  for (const pattern of patterns)
    for (let pass = 0; pass < maxPasses; pass++)
      masked = masked.replace(pattern, (match, before: string, secret: string) =>
        isPlainValue(secret) ? match : `${before}${secretMask}`,
      )
  return masked
}

function isPlainValue(secret: string): boolean {
  return (
    secret.startsWith('[masked') ||
    /^["']?(?:\$|%\w+%|\{\{|<)/.test(secret) ||
    isDescription(secret.replace(/^["']|["']$/g, ''))
  )
}
