const createHash = (length: number) =>
  'da39a3ee5e6b4b0d3255bfef95601890afd80709e3b0c44298fc1c149afbf4c8'.slice(0, length)

/** Lines from tickets and notes that masking must not change. */
export const ordinaryLines: string[] = `
Windows 10.0.19045.4291 is installed
Chrome 120.0.6099.129 crashes on start
Updated to version 1.2.3.4 of the agent
Firmware v2.4.0.1 was rolled back
User agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36
Node v24.21.0 and npm 11.4.2
Kernel 6.8.0-45-generic booted
PostgreSQL 16.3 (Debian 16.3-1.pgdg120+1)
Excel 16.0.17328.20162 shows the add-in
macOS 14.5 (23F79)
iOS 17.5.1 does not show the profile
.NET 8.0.4 is missing
OpenSSL 3.0.13 30 Jan 2024
Teams build 24152.412.2958.916
See section 4.3.2.1 of the manual
Driver version 31.0.15.5222
The OID 1.3.6.1.2.1.1.3.0 answers
The SNMP OID 1.3.6.1.4.1.9.9.13 is polled
react@18.2.0 and express@4.18.2 were bumped
actions/checkout@v4.1.1 fails
@types/node@24.19.2 is installed
Call at 12:30:45 returned nothing
Log starts 2026-11-21T09:30:00.000Z
Outage from 09:30 to 10:15
21.11.2026 10:38:46
2026/11/21 10:38
It took 00:12:45.678
Ratio 16:9, volume 1:1
The job ran at 03:00:00 and 04:00:00
Time zone UTC+02:00
MAC 00:1a:2b:3c:4d:5e is the printer
MAC 00-1A-2B-3C-4D-5E is the switch
Cisco MAC 001a.2b3c.4d5e
Commit ${createHash(40)} broke it
MD5 ${createHash(32)} matches
SHA-256 ${createHash(64)} of the installer
sha256:${createHash(64)} was pulled
integrity sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
Fingerprint SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU
Short hash ${createHash(7)} is deployed
The file hash is ${createHash(40)}
checksum=${createHash(32)}
Thumbprint A94A8FE5CCB19BA61C4C0873D391E987982FBBD3
Device id 550e8400-e29b-41d4-a716-446655440000
GUID {6B29FC40-CA47-1067-B31D-00DD010662DA}
SID S-1-5-21-3623811015-3361044348-30300820-1013
Ticket T-48213 was reopened
Order 4711-0815 is late
Error 0x80070005 on install
Stop code 0x0000007E (0xC0000005)
Event ID 4625 and 4740 in the log
HTTP 503 from the proxy
KB5031455 was removed
INC0012345 and CHG0030001 are linked
Serial number 5CG1234XYZ
Model HP LaserJet M404dn
Asset tag PRN-2F-03
C:\\Users\\Public\\Desktop is full
C:\\\\Program Files\\\\Vendor in the JSON
D:\\Data\\2026\\report.xlsx was restored
%APPDATA%\\Microsoft\\Teams was cleared
HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion
HKEY_CURRENT_USER\\Software\\Policies
CONTOSO\\dana is locked
.\\Administrator signed in
/etc/nginx/nginx.conf was edited
/usr/local/lib/python3.11/site-packages
/var/log/syslog shows nothing
~/.ssh/config has the host
Regex \\d+\\.\\d+ matches
The regex \\bword\\b finds it
Line break \\n and tab \\t
\\\\.\\COM1 is taken
\\\\?\\C:\\temp is long
https://learn.microsoft.com/en-us/windows/deployment/
https://support.example.com/kb/4711?lang=en#fix
http://localhost:8787/docs/
See www.example.com for more
ftp://files.example.com/pub/readme.txt
// a comment in the script
// TODO of the vendor: check this
std::vector<int> and std::string
App::Http::Controllers
Foo::Bar.new
A::B in the stack trace
::before and ::after
div::added
key: value
sort key: name
Primary key: id
foreign key: user_id
Press any key: Enter
Password: changed
Password reset: done
Password policy: 90 days
The password is wrong
The password is expired.
Password was reset by the user
Forgot password? Ask the desk
He changed his password yesterday
Passwords must have 12 characters
Token expired
The token is invalid
token: missing
Token: null
Refresh token is not sent
Secret: none
API key: rotated
The API key is revoked
Secret Santa is in December
Bearer authentication is off
Basic authentication is disabled
Authorization: Bearer authentication
Cookie settings were cleared
Digest authentication
Credentials: unknown
--password-file is set
password: {{admin_password}}
PASSWORD=$DB_PASSWORD
password: ********
password=%PASS%
Pin the icon to the taskbar
The pin is bent
Pass: 12 of 14 tests
Code: E-12 on the panel
Meet @ 5 pm at the desk
@dana please look
Follow @contoso for status
npm i vite@latest
typescript@next is broken
root@server01:~# reboot
cc @support-team
Price is 5@2.50
50% @ night
Sent 3 of 4 mails
user at contoso dot com is what he typed once
Looked at it. At noon. Dot matrix printer.
10.0 is not 10.00
Version 10.0
1.2.3
192.168 is how it begins
300.400.500.600 is no address
1.2.3.4.5.6
999.1.1.1 was typed
10,0,8,21
Total 1.234.567 EUR
Total 1,234,567.89 USD
CHF 1'234'567.-
Phone +49 30 1234567
Phone (555) 010-4477 ext. 21
+1-202-555-0147
IBAN is on the invoice
Room 2.14, floor 3
VLAN 120, port Gi1/0/24
Gi1/0/1 and Te1/1/4 are down
eth0 and wlan0 are up
COM3 at 9600 baud 8N1
Ping is 12 ms, loss 0%
802.11ac on channel 36
TLS 1.2 and 1.3
IPv4 and IPv6 are on
DNS, DHCP, NTP
::
a :: b
Speed 1 Gbps full duplex
Disk 95 % full, 12.3 GB free
RAM 16GB DDR4-3200
CPU i7-1185G7 @ 3.00GHz
Intel(R) Core(TM) i5-8365U CPU @ 1.60GHz
Resolution 1920x1080 @ 60 Hz
Windows11-Update-KB5031455-Report-Final2023
MicrosoftEdgeWebView2RuntimeInstallerX64
this-is-a-very-long-kebab-case-name-of-a-branch-2026
some_very_long_snake_case_name_of_a_function_42
DonaudampfschifffahrtsgesellschaftskapitaenNr5
com.contoso.support.agent.service.NotificationConfiguration
System.Management.Automation.PSRemotingTransportException
AzureActiveDirectoryAuthenticationLibrary2026
/api/v1/accounts/me/notifications/configurations
Content-Type: application/json; charset=utf-8
===================================================
-----------------------------------------------
________________________________________________
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
0000000000000000000000000000000000000000
ABCDEFGHIJKLMNOPQRSTUVWXYZ
BEGIN and END are keywords
-----BEGIN is how it begins
Der Drucker im 2. Stock ist offline, Treiber 6.1.0 neu installiert
Le client rappelle à 14 h 30, version 3.2.1
El usuario no recuerda la contraseña
Пользователь забыл пароль
Пароль: изменён
密码已更改
パスワードを変更しました
비밀번호를 변경했습니다
تم تغيير كلمة المرور
הסיסמה שונתה
プリンターを再起動しました。
重新启动了打印机，版本 2.3.1
Ο εκτυπωτής είναι εκτός σύνδεσης
Принтер не в сети с 09:30
الطابعة غير متصلة منذ الساعة 10:30
המדפסת אינה מחוברת מאז 10:30
프린터가 오프라인입니다
`
  .trim()
  .split('\n')
