import { readSecretLines } from './mask-lines.ts'

// Configurations of network devices. The secrets stand between ⟦ and ⟧.

export const deviceLines = readSecretLines(`
enable secret 5 ⟦$1$mERr$hx5rVt7rPNoS4wqbXKX7m0⟧
enable secret 8 ⟦$8$TnGX/fE4KGHOVU$pEhnEvxrvaynpi8j4f.EMHr6M.FzU8xnZnBr/tJdFWk⟧
enable secret 9 ⟦$9$2MJBozw/9R3UsU$2lFhcKvpghcyw8deP25GOfyZaagyUOGBymkryvOdfo6⟧
enable secret 0 ⟦cisco123⟧
enable secret ⟦Str0ngEnable⟧
enable password ⟦letmein77⟧
enable password level 7 ⟦opsLevel7⟧
username admin password 0 ⟦Adm1nPlain⟧
username admin password 7 ⟦094F471A1A0A⟧
username admin privilege 15 password 7 ⟦02050D480809⟧
username admin secret 5 ⟦$1$pdQG$o8nrSzsGXeaduXrjlvKc91⟧
username ann secret ⟦Flower-Pot-9⟧
 password 7 ⟦110A1016141D⟧
 password ⟦vtyAccess1⟧
 key-string ⟦eigrpShared⟧
 key-string 7 ⟦01100F175804⟧
 neighbor 10.9.9.1 password ⟦bgpPeer-77⟧
 ip ospf authentication-key ⟦0spfKey⟧
 ip ospf message-digest-key 10 md5 7 ⟦060506324F41⟧
 vrrp 1 authentication text ⟦vrrpText1⟧
 standby 1 authentication ⟦hsrpTxt⟧
ppp chap password 7 ⟦05080F1C2243⟧
ppp pap sent-username isp42 password 0 ⟦pppoe-secret⟧
tacacs-server host 10.1.1.9 key ⟦tacKey_77⟧
tacacs-server key ⟦T4cSharedKey⟧
tacacs server ISE␤ key 7 ⟦14141B180F0B⟧
radius-server host 10.1.1.8 auth-port 1812 acct-port 1813 key ⟦radKey_88⟧
radius-server key 7 ⟦045802150C2E⟧
 server-key ⟦coaKey99⟧
crypto isakmp key ⟦VpnShared2026⟧ address 203.0.113.7
crypto isakmp key 6 ⟦FLgBaJHXdYY_AcHZZMgQ_RhTDJXHUBAAB⟧ address 0.0.0.0
 pre-shared-key ⟦flexVpnPsk1⟧
 pre-shared-key local ⟦localPsk-1⟧
 pre-shared-key address 203.0.113.9 key ⟦ikev2Keyring⟧
snmp-server community ⟦acmeRO99⟧ RO
snmp-server community ⟦acmeRW99⟧ RW 10
snmp-server host 10.1.1.5 ⟦trapComm1⟧
snmp-server host 10.1.1.5 version 2c ⟦trapComm2⟧
snmp-server user ops OPS v3 auth md5 ⟦authPass11⟧ priv des ⟦privPass11⟧
wpa-psk ascii 7 ⟦0210055E0E0E⟧
security wpa psk set-key ascii 0 ⟦CoffeeBeans9⟧ 1
 dot11 psk ⟦n3verGuess⟧
key config-key password-encrypt ⟦masterKey2026⟧
ip ftp password ⟦ftpUpl0ad⟧
ip ftp password 7 ⟦13061E010803⟧
ntp authentication-key 1 md5 ⟦ntpK3y⟧ 7
aaa-server ISE (inside) host 10.1.1.8␤ key ⟦asaRadKey⟧
username vpnuser password ⟦fT3nQ7xYw2pLk9Rz⟧ encrypted
enable password ⟦8Ry2YjIyt7RRXU24⟧ encrypted
enable password ⟦$sha512$5000$0bTf3n2Qw9$7xYw2pLk9Rz⟧ pbkdf2
passwd ⟦fT3nQ7xYw2⟧ encrypted
 ikev1 pre-shared-key ⟦asaTunnel77⟧
 ikev2 remote-authentication pre-shared-key ⟦asaRemote77⟧
 ikev2 local-authentication pre-shared-key ⟦asaLocal77⟧
 ldap-login-password ⟦ldapB1nd⟧
vpdn username isp42 password ⟦pppoeAsa⟧ store-local
failover key ⟦failK3y⟧
isakmp key ⟦0ldPix⟧ address 198.51.100.3 netmask 255.255.255.255
set system login user ops authentication encrypted-password "⟦$5$saltsalt$kQ0xkW1rYzPzUqvJ3xYbN5g3mVw8Lw1⟧"
set system login user ops authentication plain-text-password-value ⟦opsPlain9⟧
set system tacplus-server 10.1.1.9 secret "⟦$9$7VdwgGDkTz6oJz69A1INdb⟧"
set system radius-server 10.1.1.8 secret ⟦junRadius1⟧
set snmp community ⟦junosPublic7⟧ clients 10.0.0.0/8
set snmp v3 usm local-engine user ops authentication-sha authentication-key "⟦$9$AbCdEfGhIjKlMn⟧"
set security ike policy hq pre-shared-key ascii-text ⟦junosPsk77⟧
set security ike policy hq pre-shared-key hexadecimal ⟦a1b2c3d4e5f6⟧
set protocols bgp group ext authentication-key "⟦$9$gPoDkTz69A1⟧"
set protocols ospf area 0 interface ge-0/0/1 authentication md5 1 key "⟦$9$kPT3AtOREyK⟧"
set access profile vpn client ann firewall-user password ⟦junVpnAnn⟧
    authentication-key "⟦$9$x7VdwgGDkTz6⟧"; ## SECRET-DATA
    encrypted-password "⟦$1$abcd$efghijklmnopqrstuv⟧"; ## SECRET-DATA
    pre-shared-key ascii-text "⟦$9$LrMX7V2gJGDk⟧";
        secret "⟦$9$2goJDikqf5z⟧";
    set password ENC ⟦AK1VbTqLh0xX2rjTnq5Yw8K3mZp⟧
    set password ⟦fortiPlain1⟧
    set psksecret ⟦fortiPsk77⟧
    set psksecret "⟦forti psk 88⟧"
    set passphrase ENC ⟦xX2rjTnq5Yw8K3mZpAK1VbTqLh0⟧
    set secret ENC ⟦Tnq5Yw8K3mZpAK1VbTqLh0xX2rj⟧
    set key ENC ⟦Yw8K3mZpAK1VbTqLh0xX2rjTnq5⟧
    set auth-pwd ENC ⟦mZpAK1VbTqLh0xX2rj⟧
    set priv-pwd ENC ⟦VbTqLh0xX2rjTnq5Yw8⟧
    set private-key "⟦-----BEGIN ENCRYPTED PRIVATE KEY-----␤MIIFHDBOBgkqhkiG9w0BBQ⟧
    set ldap-password ⟦fortiLdap⟧
    set wpa-passphrase ⟦fortiWpa99⟧
    set sae-password ⟦fortiSae99⟧
config system snmp community␤    edit 1␤        set name "⟦fortiComm1⟧"
/user add name=ops group=full password=⟦mikroOps1⟧
/user set admin password="⟦mikro Adm1n⟧"
/ppp secret add name=ann password="⟦mikroPpp1⟧" service=pptp profile=vpn
/ppp secret␤add name=bob password=⟦mikroPpp2⟧
/interface wireless security-profiles add name=guest wpa2-pre-shared-key="⟦mikroGuest2⟧"
/interface wifi security add name=s1 authentication-types=wpa3-psk passphrase=⟦mikroWifi3⟧
/ip ipsec peer add address=203.0.113.7 secret=⟦mikroIpsec⟧
/ip ipsec identity add peer=p1 secret="⟦mikro ident⟧"
/snmp community set public name=⟦mikroComm⟧
/snmp community add name=⟦mikroComm2⟧ addresses=10.0.0.0/8
/radius add address=10.1.1.8 secret=⟦mikroRad⟧ service=login
/interface pppoe-client add user=isp42 password=⟦mikroIsp⟧
/interface l2tp-server server set ipsec-secret=⟦mikroL2tp⟧ use-ipsec=yes
/interface wireguard add name=wg0 private-key="⟦‹word:43›=⟧"
PrivateKey = ⟦‹word:43›=⟧
PresharedKey = ⟦‹word:43›=⟧
wlan ssid-profile Staff␤  wpa-passphrase ⟦arubaStaff1⟧
  wpa-passphrase ⟦5e1f6a7b8c9d0e1f2a3b4c5d6e7f8091⟧
  wpa-hexkey ⟦‹hex:64›⟧
aaa authentication-server radius ISE␤  key ⟦arubaRad1⟧
aaa authentication-server radius ISE key ⟦8f7e6d5c4b3a291807f6e5d4c3b2a190⟧
mgmt-user ops root ⟦5b2c1a0d019f8e7d6c5b4a39281706f5e4d3⟧
ap system-profile default ap-console-password ⟦arubaCons1⟧
snmp-server community "⟦arubaComm⟧"
user admin group administrators password ciphertext ⟦AQBapdVVoJ6kZ8QX⟧
user admin group administrators password plaintext ⟦arubaCx99⟧
radius-server host 10.1.1.8 key plaintext ⟦arubaCxRad⟧
tacacs-server key ciphertext ⟦AQBapT7sLmN2⟧
password manager user-name admin plaintext ⟦hpManager1⟧
password manager sha1 "⟦‹hex:40›⟧"
password operator plaintext "⟦hpOper 8⟧"
snmp-server community "⟦hpComm7⟧" unrestricted
snmpv3 user "ops" auth md5 "⟦hpAuth77⟧" priv des "⟦hpPriv77⟧"
tacacs-server host 10.1.1.9 key "⟦hpTac77⟧"
radius-server key "⟦hpRadius7⟧"
radius scheme corp␤ key authentication simple ⟦comwareKey⟧
 key authentication cipher ⟦$c$3$7kY2mPq9xZw==⟧
local-user ops␤ password simple ⟦comwareOps⟧
 password hash ⟦$h$6$abc123DEF456ghi789==⟧
 set authentication password cipher ⟦$c$3$h2J9kLm4Qw==⟧
set system login user ops authentication encrypted-password ⟦$6$rounds$Qw3eRtYuIoPaSdFgHjKl⟧
set system login user ops authentication plaintext-password ⟦edgeOps77⟧
set service snmp community ⟦edgeMon7⟧ authorization ro
set vpn ipsec site-to-site peer 203.0.113.7 authentication pre-shared-secret ⟦edgePsk77⟧
set vpn l2tp remote-access authentication local-users username ann password ⟦edgeAnn77⟧
set vpn l2tp remote-access ipsec-settings authentication pre-shared-secret ⟦edgeL2tp7⟧
set interfaces ethernet eth0 pppoe 0 password ⟦edgeIsp77⟧
        pre-shared-secret ⟦edgeBlock7⟧
users.1.password=⟦$6$Qw3eRtYu$IoPaSdFgHjKl⟧
wireless.1.security.psk=⟦airosPsk77⟧
aaa.1.wpa.psk=⟦airosWpa77⟧
x_passphrase=⟦unifiWlan77⟧
"x_iapp_key": "⟦‹hex:32›⟧"
mgmt_ssh_password: ⟦unifiSsh7⟧
vpn policy site-to-site "HQ"␤ auth-method shared-secret␤  shared-secret ⟦sonicPsk77⟧
auth-method shared-secret shared-secret "⟦sonicPsk88⟧"
shared-secret encrypt ⟦5,‹hex:32›⟧
radius server 10.1.1.8␤ shared-secret ⟦sonicRad77⟧
set mgt-config users ops phash ⟦$1$xkqjphfs$Qw3eRtYuIoPaSdFgHjKl0/⟧
set network ike gateway hq authentication pre-shared-key key ⟦paloPsk77⟧
set network ike gateway hq authentication pre-shared-key key ⟦-AQ==‹word:27›=⟧
set shared server-profile radius corp server ise secret ⟦paloRad77⟧
set shared server-profile ldap corp bind-password ⟦paloBind7⟧
set deviceconfig system snmp-setting access-setting version v2c snmp-community-string ⟦paloComm7⟧
<phash>⟦$1$dgkhwrxe$kddYFmKCq9.zfiNPVRbno1⟧</phash>
<bind-password>⟦-AQ==‹word:27›=⟧</bind-password>
<pre-shared-key><key>⟦paloXmlPsk⟧</key></pre-shared-key>
snmp-agent community read cipher ⟦%^%#Qw3eRtYuIoPa%^%#⟧
pppoe-client dial␤ authentication simple ⟦drayPass7⟧
ssid Guest psk ⟦guestPsk77⟧
wpa_passphrase=⟦hostapd-77⟧
	psk="⟦wpaSuppl77⟧"
	psk=⟦‹hex:64›⟧
802-11-wireless-security.psk: ⟦nmcliPsk7⟧
option key '⟦openwrtKey7⟧'
ipsec.secrets: 203.0.113.1 203.0.113.2 : PSK "⟦swanPsk77⟧"
ann : EAP "⟦swanEap77⟧"
: RSA site.key "⟦keyPhrase7⟧"
"ann" * "⟦chapSecr3t⟧" *
`)
