// Masks passwords, keys and communities in the configurations of network devices. Each statement is one line.

import { isDescriptionWord, secretMask } from './secret-labels.ts'

const value = `(?!["']?\\[masked|(?:IP|email|path|secret)\\])("[^"\\n]{1,256}"|'[^'\\n]{1,256}'|[^\\s"';<>{}]{1,256})`
/** How a vendor marks the form of the secret that follows, such as `7`, `ENC` or `ciphertext`. */
const form =
  '(?:(?:0|5|6|7|8|9|ENC|encrypt(?:ed)?|cipher(?:text)?|plain(?:text)?|simple|hash(?=[ \\t]{1,4}\\S{0,80}\\d)|sha1|sha256|md5|ascii(?:-text)?|ascii 0|ascii 7|hexadecimal|hex|text|set-key ascii 0)[ \\t]{1,4})'
const gap = '[ \\t]{1,4}'
/** Refuses words that continue a statement without a secret. */
const noKeyword =
  '(?![|]|[=:>→–—-]{1,3}(?:[a-zA-Z0-9-]{0,20}(?:[ ]|$))|(?:encryption|recovery|policy|policies|complexity|minimum|min-length|max\\w*|prompt|expire\\S*|configuration-control|manager|operator|level|mode|message-digest|key-chain|authentication|attributes|address|type|group|local|any|enable|disable|required|rsa|zeroize|generate|chain|config-key|retry-options|hash|ENC|encrypted|cipher|ciphertext|plaintext|simple|clients|location|contact|traps?|informs?|version|print|set|add|remove|host|view|user|server|timeout|only|is|was|are|string|removed|mismatch|support|edition|isakmp|ipsec|ike|prefer|shared-secret|read|write|RO|RW|ro|rw)(?![\\w-])|\\[masked|\\$\\{|\\{\\{|\\$\\w+$)'

const statements: readonly string[] = [
  // enable secret 9 …, username ann privilege 15 password 7 …, user admin group administrators password
  // ciphertext …
  `(?<![\\w-])enable(?:${gap}algorithm-type${gap}\\S{1,20})?${gap}(?:secret|password)${gap}(?:level${gap}\\d{1,2}${gap})?${form}?${noKeyword}`,
  `(?<![\\w-])(?:username|user|mgmt-user|local-user|vpdn username)${gap}(?!(?:and|or|und|oder|et|ou|y|e)[ ])["\\w]\\S{0,59}(?:${gap}(?!secret|password)\\S{1,40}){0,6}${gap}(?:secret|password|phash)${gap}${form}?${noKeyword}`,
  `(?<![\\w-])mgmt-user${gap}\\S{1,60}${gap}\\S{1,40}${gap}(?=[0-9a-f]{16})`,
  `(?<![\\w-])(?:password|passwd|secret|key|key-string|passphrase|pass-phrase|psk|auth-pwd|priv-pwd|server-key|wpa-passphrase|sae-password)${gap}${form}{1,2}${noKeyword}`,
  `(?<![\\w-])(?:encrypted-password|plain(?:-)?text-password(?:-value)?|psksecret|passwd|(?:\\w{1,20}-)?passphrase|ldap-password|ldap-login-password|sae-password|bind-password|console-password|ap-console-password|shared-secret|phash|wpa-hexkey|key-string|server-key|auth-pwd|priv-pwd|password-hash)${gap}${form}?${noKeyword}(?![a-z]{1,20}(?:[ ]|$))`,
  `(?<![\\w-])firewall-user${gap}password${gap}`,
  // A line of its own: ` password …`, ` key …`
  `(?<=^[ \\t]{0,16}(?:set[ ])?)(?:password|secret|key|passwd)${gap}${form}?${noKeyword}(?=[^\\s"]{4,}[ \\t]*$|"[^"\\n]{2,200}"[ \\t;]*$)(?![a-z-]{1,60}[ \\t]*$)(?!\\d{1,3}[ \\t]*$)`,
  `password${gap}(?:manager|operator)(?:${gap}user-name${gap}\\S{1,40})?${gap}(?:plaintext|sha1|sha256)${gap}`,
  // radius-server host … key …, tacacs-server key 7 …, radius server ISE key …, server ise secret …
  `(?<![\\w-])(?:radius|tacacs|tacplus|aaa|radius-server|tacacs-server|tacplus-server)[^\\n]{0,120}?[ ](?:key|secret|shared-secret)${gap}${form}?${noKeyword}`,
  `(?<![\\w-])(?:server-profile)[^\\n]{0,120}?[ ](?:key|secret)${gap}${noKeyword}`,
  // snmp-server community …, set snmp community …, snmp-server host … version 2c …, snmp-agent community read
  // cipher …
  `(?<![\\w-])(?:snmp(?:-server|-agent)?|service snmp)${gap}community(?:-string)?${gap}(?:(?:read|write)${gap})?${form}?${noKeyword}`,
  `(?<![\\w-])snmp-community-string${gap}${noKeyword}`,
  `(?<![\\w-])snmp-server${gap}host${gap}(?:\\[masked IP\\]|\\S{1,60})(?:${gap}(?:traps|informs))?(?:${gap}version${gap}(?:1|2c|3(?:${gap}(?:auth|noauth|priv))?))?${gap}${noKeyword}`,
  `system snmp community\\s{1,8}edit${gap}\\d{1,4}\\s{1,12}set name${gap}`,
  `/snmp community[ ](?:set|add)[^\\n]{0,80}?name=`,
  `(?<![\\w-])(?:auth${gap}(?:md5|sha\\S{0,4})|priv${gap}(?:des\\S{0,4}|3des|aes\\S{0,4})(?:${gap}(?:128|192|256))?)${gap}(?!priv[ ])`,
  // crypto isakmp key … address …, pre-shared-key …
  `(?<![\\w-])isakmp${gap}key${gap}(?:[06]${gap})?(?=\\S{1,200}${gap}(?:address|hostname))`,
  `(?<![\\w-])pre-shared-(?:key|secret)${gap}(?:(?:local|remote|address${gap}\\S{1,60}|ascii-text|hexadecimal|key|\\[masked IP\\])${gap}){0,4}${form}?${noKeyword}`,
  `(?<![\\w-])failover${gap}key${gap}(?:hex${gap})?`,
  `config-key${gap}password-encrypt${gap}`,
  // Routing and redundancy protocols.
  `(?<![\\w-])(?:authentication-key|message-digest-key)${gap}(?:\\d{1,5}${gap}(?:md5|sha\\S{1,10})${gap})?${form}?(?!\\d{1,5}[ ])`,
  `(?<![\\w-])neighbor${gap}\\S{1,60}${gap}password${gap}${form}?`,
  `(?<![\\w-])(?:standby|vrrp)${gap}\\d{1,4}${gap}authentication${gap}(?:md5${gap}key-string${gap}(?:7${gap})?|text${gap})?${noKeyword}(?!md5[ ])`,
  `(?<![\\w-])md5${gap}\\d{1,3}${gap}key${gap}`,
  `(?<![\\w-])(?:ppp|pppoe)[^\\n]{0,80}?[ ]password${gap}${form}?`,
  `(?<![\\w-])(?:ip ftp|ftp)${gap}password${gap}${form}?`,
  `(?<![\\w-])key${gap}authentication${gap}(?:simple|cipher)${gap}`,
  `authentication${gap}(?:password${gap}(?:cipher|simple)|simple|plaintext-password)${gap}(?!password)`,
  // Wireless.
  `(?<![\\w-])(?:wpa-psk|wpa${gap}psk|dot11 psk|psk)${gap}(?:set-key${gap})?${form}?(?:0${gap}|7${gap})?(?=\\S{8,})(?![a-z]{1,20}(?:[ ]|$))`,
  // RouterOS: password=…, secret=…, wpa2-pre-shared-key=…
  `(?<![\\w])(?:password|secret|ipsec-secret|passphrase|wpa2?-pre-shared-key|private-key|preshared-key)=(?=["\\S])(?!["']?[%$\\s])`,
  `(?:x_passphrase|\\.psk|\\.wpa\\.psk)[=:][ ]?`,
  `(?<![\\w-])option[ ](?:key|password|psk)[ ]`,
  // ipsec.secrets, chap-secrets
  `:[ ](?:PSK|EAP|XAUTH)[ ](?=")`,
  `:[ ]RSA[ ]\\S{1,80}[ ](?=")`,
  `(?<=^)"[^"\\n]{1,60}"[ ]\\*[ ](?=")`,
  `(?<![\\w-])ssid${gap}\\S{1,40}${gap}psk${gap}`,
]
const pattern = new RegExp(`(${statements.join('|')})${value}`, 'gmu')
const maxPasses = 2

export function maskDeviceSecrets(text: string): string {
  let masked = text
  for (let pass = 0; pass < maxPasses; pass++)
    masked = masked.replace(pattern, (match, before: string, secret: string) =>
      isDescriptionWord(secret) ||
      secret.startsWith('[masked') ||
      (/^["']?(?:\$[A-Za-z_({]|%\w+%|\{\{|\*+$|\)|\()/.test(secret) && !/^["']?\$\d/.test(secret))
        ? match
        : `${before}${secretMask}`,
    )
  return masked
}
