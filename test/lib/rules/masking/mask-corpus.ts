// Lines with values that must be masked. The keys are generated from a fixed seed, so that secret scanners
// find none in the repository.

const alphabets = {
  hex: '0123456789abcdef',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  word: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  lower: 'abcdefghijklmnopqrstuvwxyz0123456789',
  digit: '0123456789',
}

let randomState = 20261121
/** Return a pseudo-random integer from 0 to `limit` - 1. */
function randomInt(limit: number): number {
  randomState = (Math.imul(randomState, 1664525) + 1013904223) >>> 0
  return Math.floor((randomState / 2 ** 32) * limit)
}

function randomText(length: number, alphabet: keyof typeof alphabets = 'word'): string {
  const chars = alphabets[alphabet]
  return Array.from({ length }, () => chars[randomInt(chars.length)]).join('')
}

const createPem = (name: string) =>
  `-----BEGIN ${name}-----\n${randomText(64)}\n${randomText(64)}\n${randomText(22)}==\n-----END ${name}-----`

export const valuesByKind: Record<string, string[]> = {
  ipv4: [
    ...[
      '10.0.8.21',
      '192.168.1.1',
      '172.16.254.3',
      '8.8.8.8',
      '255.255.255.0',
      '203.0.113.77',
      '100.64.0.1',
      '169.254.10.20',
      '0.0.0.0',
    ],
    ...[
      '010.000.008.021',
      '0x0a.0x00.0x08.0x15',
      '10[.]0[.]8[.]21',
      '10(.)0(.)8(.)21',
      '10[dot]0[dot]8[dot]21',
      '10\\.0\\.8\\.21',
      '１０.０.８.２１',
    ],
    ...[
      '10.0.8.0/24',
      '10.0.8.21:8443',
      '10.0.8.10-20',
      '192.168.1.x',
      '192.168.1.*',
      '192.168.1/24',
      'http://3232235777/',
      '192.168.1.5.443',
    ],
    ...[
      'ip-10-0-8-21.internal',
      '21.8.0.10.in-addr.arpa',
      '10.0\u200b.8.21',
      'https://198.51.100.7/admin',
      '[10.0.8.21]',
      '٠١٠.٠.٨.٢١',
    ],
  ],
  ipv6: [
    ...[
      '2001:db8::8a2e:370:7334',
      '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
      'fe80::1',
      'fe80::1%eth0',
      '::1',
      '2001:DB8::1',
      'fd00::/8',
      '::ffff:10.0.8.21',
    ],
    ...[
      '[2001:db8::1]:443',
      '64:ff9b::192.0.2.33',
      '2001:db8:0:0:1::1/64',
      'http://[fe80::8]/',
      'ff02::fb',
      'dead::beef',
      '2001-db8--1.ipv6-literal.net',
    ],
    ...[
      '2001:db8:1:2:3:4:5:6',
      '1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
      'IPv6:2001:db8::7',
      'Gateway:fe80::9',
      '2001:db8:1:2:3:4:5:6:8080',
    ],
  ],
  email: [
    ...[
      'dana@contoso.com',
      'dana.reyes+vpn@mail.contoso.co.uk',
      "o'neill@contoso.com",
      'DANA@CONTOSO.COM',
      'dana_reyes@xn--mnchen-3ya.de',
      'jörg@münchen.de',
    ],
    ...[
      '用户@例子.公司',
      'дана@почта.рф',
      '"dana reyes"@contoso.com',
      'dana@[10.0.8.21]',
      'mailto:dana@contoso.com',
      '<dana@contoso.com>',
      'dana@localhost',
    ],
    ...[
      'dana%40contoso.com',
      'dana&#64;contoso.com',
      'dana＠contoso.com',
      'dana[at]contoso[dot]com',
      'dana (at) contoso (dot) com',
      'dana@contoso[.]com',
    ],
    ...[
      'user=dana@contoso.com',
      'svc-backup!x@contoso.local',
      'a@b.io',
      'dana@contoso.onmicrosoft.com',
      'sip:dana@contoso.com',
      'dana@contoso.museum',
    ],
  ],
  path: [
    ...[
      '\\\\fs01\\finance',
      '\\\\fs01\\finance$\\2026\\q3.xlsx',
      '\\\\fs01.contoso.local\\Shared Documents\\HR Data\\pay list.docx',
      '\\\\10.0.8.21\\c$\\Windows',
    ],
    ...[
      '\\\\PRINTSRV01',
      '\\\\fs01\\public\\',
      '\\\\?\\UNC\\fs01\\finance\\x',
      '\\\\\\\\fs01\\\\finance\\\\2026',
      '\\\\fs01@SSL\\DavWWWRoot\\sites',
      '\\\\сервер\\папка',
    ],
    ...[
      '"\\\\fs01\\Shared Documents\\All staff\\the list"',
      'smb://fs01/finance',
      'file://fs01/finance/q3.xlsx',
      '//nas01/backup',
      '\\\\fs_01\\a b\\c d\\e.txt',
    ],
    ...[
      '\\\\fe80--1.ipv6-literal.net\\share',
      'cifs://nas01/backup/2026',
      '\\\\contoso.local\\SYSVOL\\contoso.local\\Policies',
      '\\\\fs01\\データ\\給与.xlsx',
    ],
  ],
  key: [
    ...[
      `AKIA${randomText(16, 'upper')}`,
      `ghp_${randomText(36)}`,
      `github_pat_${randomText(22)}_${randomText(59)}`,
      `glpat-${randomText(20)}`,
      `xoxb-${randomText(12, 'digit')}-${randomText(24)}`,
    ],
    ...[
      `sk_live_${randomText(24)}`,
      `rk_test_${randomText(24)}`,
      `whsec_${randomText(32)}`,
      `sk-${randomText(48)}`,
      `sk-proj-${randomText(48)}`,
      `sk-ant-api03-${randomText(60)}`,
      `AIza${randomText(35)}`,
    ],
    ...[
      `GOCSPX-${randomText(28)}`,
      `ya29.${randomText(60)}`,
      `npm_${randomText(36)}`,
      `pypi-AgEI${randomText(60)}`,
      `SG.${randomText(22)}.${randomText(43)}`,
      `key-${randomText(32, 'hex')}`,
      `SK${randomText(32, 'hex')}`,
    ],
    ...[
      `dop_v1_${randomText(64, 'hex')}`,
      `hvs.${randomText(24)}`,
      `dapi${randomText(32, 'hex')}`,
      `shpat_${randomText(32, 'hex')}`,
      `lin_api_${randomText(40)}`,
      `ntn_${randomText(46)}`,
      `hf_${randomText(34)}`,
    ],
    ...[
      `ATATT3xFfGF0${randomText(40)}`,
      `re_${randomText(8)}_${randomText(24)}`,
      `sq0atp-${randomText(22)}`,
      `PMAK-${randomText(24, 'hex')}-${randomText(34, 'hex')}`,
      `NRAK-${randomText(27, 'upper')}`,
    ],
    ...[
      `glsa_${randomText(32)}_${randomText(8, 'hex')}`,
      `sntrys_${randomText(60)}`,
      `figd_${randomText(40)}`,
      `tskey-auth-${randomText(12)}-${randomText(32)}`,
      `AGE-SECRET-KEY-1${randomText(58, 'upper')}`,
    ],
    ...[
      `eyJ${randomText(33)}.eyJ${randomText(60)}.${randomText(43)}`,
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${randomText(43)} dana`,
      `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${randomText(300)}`,
    ],
    ...[
      `${randomText(3)}8Q~${randomText(34)}`,
      `${randomText(10, 'digit')}:AA${randomText(33)}`,
      `${randomText(40)}`,
      `${randomText(43)}=`,
      `${randomText(40, 'lower')}`,
      `AccountKey=${randomText(86)}==`,
    ],
    ...[
      Array.from({ length: 8 }, () => randomText(6, 'digit')).join('-'),
      ['VK7JG', 'NPHTM', 'C97JM', '9MPGT', '3V66T'].join('-'),
      `MT${randomText(24)}.${randomText(6)}.${randomText(27)}`,
    ],
  ],
  secret: [
    ...[
      'password: hunter2',
      'Password = "correct horse battery"',
      "pwd='s3cret!'",
      'DB_PASSWORD=Winter2026!',
      '"client_secret": "a8f-3e2"',
      'token: 8f3e2a91',
      'api_key=f00d',
    ],
    ...[
      'Passwort: Sommer2026',
      'contraseña: verano26',
      'mot de passe : ete2026',
      'пароль: zima2026',
      '密码：dongtian26',
      'パスワード：fuyu2026',
      '비밀번호: gyeoul26',
      'senha: inverno26',
    ],
    ...[
      'password is Winter2026!',
      '--password Winter2026',
      '-Password "Winter 2026"',
      'curl -u dana:Winter2026',
      'https://dana:Winter2026@host.example.com/',
      'PSK: office-wifi-99',
    ],
    ...[
      `Authorization: Bearer ${randomText(30)}`,
      `Authorization: Basic ${randomText(20)}==`,
      `Cookie: sid=${randomText(20)}; theme=dark`,
      `https://x.example.com/?sig=${randomText(30)}&a=1`,
    ],
    ...[
      'SNMP community: sw1tch-ro',
      'ConvertTo-SecureString "Winter2026" -AsPlainText',
      `secret key: ${randomText(40, 'hex')}`,
      `x-api-key: ${randomText(32, 'hex')}`,
      `token ${randomText(32, 'hex')}`,
    ],
    ...[
      'Wi-Fi key: blue-lamp-77',
      `session_id=${randomText(24, 'hex')}`,
      'Server=db1;User Id=sa;Password=Pr0d!9;',
      'passphrase: "four words in here"',
      'MYSQL_ROOT_PASSWORD: toor99',
    ],
  ],
  pem: [
    'RSA PRIVATE KEY',
    'PRIVATE KEY',
    'EC PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'CERTIFICATE',
    'PGP PRIVATE KEY BLOCK',
  ]
    .map(createPem)
    .concat(
      createPem('PRIVATE KEY').replace(/\n-----END.*/, ''),
      createPem('PRIVATE KEY').replaceAll('\n', '\\n'),
    ),
}

/** Pairs of the text before and the text after a value. */
const inlineContexts: [string, string][] = [
  ['', ''],
  ['The client says ', ' stopped working at noon.'],
  ['Checked (', '), fine'],
  ['Vom Kunden gemeldet: ', ''],
  ['Проверено ', ', ошибка та же'],
]
const multiLineContexts: [string, string][] = [
  ['', ''],
  ['Found this:\n', '\nand removed it.'],
]

function getContexts(kind: string, value: string): [string, string][] {
  if (kind === 'pem') return multiLineContexts
  // A header ends with its line, so no text can follow its value.
  const isHeader = /Cookie|Authorization/.test(value)
  return isHeader ? inlineContexts.slice(0, 1) : inlineContexts
}

/** Return the parts of a value that must not remain after masking. */
function getSecretParts(kind: string, value: string): string[] {
  if (kind === 'pem')
    return value.split(/\\n|\n/).filter((line) => line.length > 20 && !line.startsWith('--'))
  if (kind === 'key')
    return (
      value
        .replace(/^(?:ssh-\w+ |AccountKey=)/, '')
        .replace(/ dana$/, '')
        .match(/[\w-]{12,}/g) ?? []
    )
  if (kind === 'secret')
    return (
      value.match(
        /hunter2|horse|s3cret|Winter ?2026|8f-3e2|8f3e2a91|f00d|\w+26\b|office-wifi|sw1tch|blue-lamp|Pr0d!9|four words|toor99|[A-Za-z0-9]{20,}/g,
      ) ?? []
    )
  if (kind === 'email')
    return (
      value.match(
        /dana|reyes|neill|contoso(?=\.|\[|%)|jörg|münchen|用户|例子|дана|почта|backup|b\.io|10\.0/gi,
      ) ?? []
    )
  if (kind === 'path')
    return (
      value.match(
        /fs_?01|finance|documents|HR Data|pay list|staff|the list|q3|10\.0|printsrv|public|sites|сервер|папка|nas01|backup|e\.txt|fe80|sysvol|データ|給与/gi,
      ) ?? []
    )
  const address = value.replace(/^.*(?:\/\/|IPv6:|Gateway:)/, '')
  return [
    /[0-9a-fx０-９٠-٩]{1,10}(?:[\\[({.:-]+(?:dot)?[\])}.]*[0-9a-fx*０-９٠-٩]+)+|::1|\d{8,}/i
      .exec(address)?.[0]
      .slice(0, 9) ?? address,
  ]
}

export interface LineToMask {
  kind: string
  line: string
  /** Parts of the value that must not remain after masking. */
  secretParts: string[]
}

/** Every value in every context. */
export const linesToMask: LineToMask[] = Object.entries(valuesByKind).flatMap(([kind, values]) =>
  values.flatMap((value) => {
    const secretParts = getSecretParts(kind, value)
    return getContexts(kind, value).map(([before, after]) => ({
      kind,
      line: `${before}${value}${after}`,
      secretParts,
    }))
  }),
)
