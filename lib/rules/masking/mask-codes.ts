// Masks secrets that are known by their own form: hashes of passwords, keys with a vendor's format, one-time
// codes.

import { secretMask } from './secret-labels.ts'

type Replacement = readonly [
  needs: RegExp,
  pattern: RegExp,
  replacement: string | ((...groups: string[]) => string),
]
const prefixAndMask = `$1${secretMask}`
const prefixesAndMasks = `$1${secretMask}$2${secretMask}`

const replacements: readonly Replacement[] = [
  // Crypt formats: $6$salt$hash, $2b$12$…, $argon2id$…, $9$… of JunOS, $krb5tgs$23$…, $DCC2$…
  [
    /\$\w{1,16}\$/,
    /(?<![\w$])\$(?:[0-9][a-z]?|y|gy|P|H|S|apr1|argon2(?:id|i|d)|scrypt|sha1|sha256|sha512|md5|pbkdf2\S{0,10}|bcrypt\S{0,10}|DCC2|krb5\w{2,8}|c|h|7z|zip2|pkzip2|office|pdf|ml)\$[^\s"'<>|;,]{4,4096}/g,
    secretMask,
  ],
  [
    /pbkdf2_|scram-/i,
    /(?<!\w)(?:pbkdf2_\w{3,10}\$\d{1,8}\$[^\s"'<>]{8,256}|SCRAM-SHA-\d{1,3}\$\d{1,8}:[^\s"'<>]{8,256})/gi,
    secretMask,
  ],
  [
    /\{S?(?:SHA|MD5|CRYPT)/i,
    /(\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2\S{0,10}|ARGON2)\})[A-Za-z0-9+/=$.]{8,512}/gi,
    prefixAndMask,
  ],
  // user:rid:lm:nt::: of secretsdump and pwdump, user::domain:challenge:hash:blob of NTLMv2
  [
    /:[0-9a-f]{32}/i,
    /((?<![0-9a-f])(?:[:\s])(?:\d{1,10}:)?)[0-9a-f]{32}(:)[0-9a-f]{32}(?![0-9a-f])/gi,
    prefixesAndMasks,
  ],
  [
    /::/,
    /((?<!\w)[\w.$-]{1,64}::[\w.-]{1,64}:[0-9a-f]{16}:)[0-9a-f]{32,48}(?::[0-9a-f]{32,4096})?/gi,
    prefixAndMask,
  ],
  [/hash|nt|lm/i, /((?<!\w)-hashes?[ :=]{1,3}:?)[0-9a-f]{32}(?::[0-9a-f]{32})?/gi, prefixAndMask],
  [
    /ntlm|\bnt\b|\blm\b|sha1|wpa/i,
    /((?<!\w)(?:ntlm(?:v[12])?|nt|lm)(?:[ _-]?hash)?(?:[ ](?:of|for|von|de)[ ]\S{1,40})?[ \t]{0,8}(?:[:=]|is|ist|[ ])[ \t]{0,4})(?:[0-9a-f]{32}(?::[0-9a-f]{32})?)(?![0-9a-f])/gi,
    prefixAndMask,
  ],
  [/\* SHA1/, /(\* SHA1[ \t]{1,8}: )[0-9a-f]{40}/g, prefixAndMask],
  // Keys of Kerberos, DPAPI and LSA as tools print them.
  [
    /:aes|:des|dpapi|NL\$KM|MACHINE/i,
    /((?<!\w)(?:aes\d{3}-cts-hmac-sha1-96|des-cbc-md5|rc4_hmac|dpapi_(?:machine|user)key|NL\$KM):(?:0x)?)[0-9a-f]{16,512}/gi,
    prefixAndMask,
  ],
  [
    /_SC_|DefaultPassword/,
    /((?:_SC_\S{1,60}|DefaultPassword)[ \t]*\n[^\n:]{1,80}:)[^\n]{1,256}/g,
    prefixAndMask,
  ],
  // Chat webhooks are secrets as a whole.
  [/hooks\.slack|webhook/i, /(https?:\/\/hooks\.slack\.com\/\w{4,20}\/)[\w/-]{10,200}/gi, prefixAndMask],
  [
    /webhook/i,
    /(https?:\/\/[\w.-]{1,80}\/(?:api\/)?webhook\w{0,3}\/(?:\d{10,25}\/)?)(?![^\s]{0,30}\[masked)[^\s"'<>]{16,400}/gi,
    prefixAndMask,
  ],
  [
    /\/(?:reset|invite|verify|confirm|magic|activate)/i,
    /(\/(?:reset|invite|verify|confirm|magic|activate)[\w-]{0,20}\/)[\w-]{20,200}/gi,
    prefixAndMask,
  ],
  // https://key@host, redis://:password@host, protocol://user:password@host with more characters than a URL allows
  [
    /:\/\//,
    /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/)(?:[0-9a-f]{32}|[^\s/@"'<>]{0,100}:[^\s/"'<>]{1,200})@/gi,
    `${prefixAndMask}@`,
  ],
  // Product and licence keys, with a word for them before.
  [
    /licen[cs]e|serial|activation|key|product|support/i,
    /((?:licen[cs]e(?:[ _-]?key)?|product[ _-]?key|adobe serial|activation[ _-]?(?:code|key)|support key|install token|site token|serial key)[^\S\n]{0,4}[:=]?[^\S\n]{0,4}(?:is )?)(?=[^\s]{0,60}\d)(?:[A-Za-z0-9]{3,8}-){2,8}[A-Za-z0-9]{3,12}(?!\w)/gi,
    prefixAndMask,
  ],
  // FileVault and similar recovery keys: six groups of four.
  [/-[A-Z0-9]{4}-/, /(?<![\w-])(?=[A-Z0-9-]{0,28}[A-Z])[A-Z0-9]{4}(?:-[A-Z0-9]{4}){5}(?![\w-])/g, secretMask],
  // Keys that end with a checksum or the name of a region.
  [/-us\d|-[0-9A-F]{2}\b/, /(?<![\w-])[0-9a-f]{32}-(?:us\d{1,2}|[0-9A-F]{2})(?![\w-])/gi, secretMask],
  [
    /Session(?:Id)?=|csrf|xsrf/i,
    /((?<!\w)(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|csrf\w{0,10}|xsrf\w{0,10}|sessionid)=)[^\s;&"'<>]{8,256}/gi,
    prefixAndMask,
  ],
  [/SESSID=|SESSIONID=/, /((?<!\w)(?:PHPSESSID|JSESSIONID)=)[^\s;&"'<>]{8,256}/g, prefixAndMask],
  [/response="/, /(response=")[0-9a-f]{16,128}(?=")/g, prefixAndMask],
  [/cpassword/i, /(cpassword=["'])[^"'\n]{4,512}/gi, prefixAndMask],
  [/"auth"/, /("auth"[ ]?:[ ]?")[A-Za-z0-9+/=]{8,512}(?=")/g, prefixAndMask],
  [/ANSIBLE_VAULT/, /(\$ANSIBLE_VAULT;[\d.]{3};AES256\s{1,20})[0-9\s]{16,8192}/g, prefixAndMask],
  [/private_key_id/, /(private_key_id["']?[ ]?[:=][ ]?["']?)[0-9a-f]{20,64}/g, prefixAndMask],
  [/Key Content/, /(Key Content[ \t]{0,20}:[ \t]{0,4})[^\n]{1,100}/g, prefixAndMask],
  [
    /_key/,
    /((?<!\w)\w{1,30}_key["']?[ ]?[:=][ ]?["']?)(?=[^\s"']{0,200}\d)[A-Za-z0-9+/]{16,512}={0,2}/g,
    prefixAndMask,
  ],
  [/skey|ikey/, /((?<!\w)skey[ :=]{1,3})[A-Za-z0-9]{20,64}/g, prefixAndMask],
  [
    /0x/,
    /((?:master|session|encryption|aes|private|machine) key[ :=]{1,3})0x[0-9a-f]{16,256}/gi,
    prefixAndMask,
  ],
  // X-Auth-Token and similar headers.
  [
    /-(?:token|key|secret):/i,
    /((?<!\w)[\w-]{1,40}-(?:token|key|secret|signature):[ \t]{0,4})(?!\[masked)[^\s"'<>]{6,1024}/gi,
    prefixAndMask,
  ],
  [
    /Authorization:/i,
    /(Authorization:[ ](?:Token|Bearer|Basic|ApiKey|Key)[ ])(?!\[masked)(?=[^\s]{0,4000}[\d=])[^\s"'<>]{6,4096}/gi,
    prefixAndMask,
  ],
  // PINs of printers, copiers and fax machines.
  [/\bPIN\b/, /((?<!\w)(?:print|copy|fax) PIN[ ]\d{0,2})\d{4,6}/gi, prefixAndMask],
]

/** Mask hashes, keys and codes that are known by their form. */
export function maskCodes(text: string): string {
  let masked = text
  for (const [needs, pattern, replacement] of replacements)
    if (needs.test(masked)) masked = masked.replace(pattern, replacement as string)
  return masked
}
