"""Ways to write an address of this machine, or of its network, that guards have been fooled by."""


def _each(lines: str) -> list[str]:
    return lines.split()


LOOPBACK = (
    *_each("""
    localhost LOCALHOST LocalHost localhost. localhost.. a.localhost x.y.localhost.
    localhost.localdomain ip6-localhost ip6-loopback localhost%2e 127.0.0.1 127.0.0.1. 127.0.0.1..
    127.0.0.2 127.1.2.3 127.255.255.254 0.0.0.0 0.0.0.0. 0.0.0.1 127.1 127.0.1 127.1. 0 0. 0.0 00
    0x0 0000 0x7f.1 0X7F.1 0x7f.0.0.1 0x7f.0x0.0x0.0x1 0x7f000001 0x7F000001 0x7f.0x1 0x0000007f.1
    0177.1 0177.0.0.1 0177.0.0.01 0177.00.00.01 00177.1 017700000001 0o177.0.0.1 2130706433
    2130706433. 02130706433 4294967295 4294967296 127.0.0.01 127.00.0.1 127.0.0.001 127.0.0.0x1
    127.0x0.1 127.65536.1 127.0.0.1.1 127.0.0.257 127.0.0.-1 127.0.0.+1 +127.0.0.1
    1.0.0.127.in-addr.arpa%00 %6c%6f%63%61%6c%68%6f%73%74 127%2e0%2e0%2e1 127.0.0.1%20 127.0.0.1%00
    127.0.0.1%09 %31%32%37.0.0.1 127.0.0.1%2523 127.0.0.1%23 127.0.0.1%2f 127.0.0.1%5c %00127.0.0.1
    [::1] [::] [0:0:0:0:0:0:0:1] [0000::0001] [::0001] [0::1] [::1%lo] [::1%25lo] [::1%251]
    [::127.0.0.1] [::7f00:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001]
    [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0:7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::7f00:1]
    [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:1::1] [2001::7f00:1]
    [2001:0:7f00:1::] [::ffff:0.0.0.0] [::ffff:0:0] [fe80::1] [fe80::1%eth0] [fe80::1%25lo] [::1
    ::1] ::1 [[::1]] [::1]. [127.0.0.1] [localhost] [::1]x [v1.127] [] [::ffff:127.1]
    [::ffff:0x7f.1] [0:0:0:0:0:0:0:0:1] [1::1::1] [::10000] [::1]]
    """),
    "127.0.0. 1",
    "127\u30020\u30020\u30021",
    "127\uff0e0\uff0e0\uff0e1",
    "127\uff610\uff610\uff611",
    "１２７.0.0.1",
    "①②⑦.⓪.⓪.①",
    "\uff11\uff12\uff17\uff0e\uff10\uff0e\uff10\uff0e\uff11",
    "⑫7.0.0.1",
    "𝟏𝟐𝟕.0.0.1",
    "١٢٧.0.0.1",
    "१२७.0.0.1",
    "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
    "ｌｏｃａｌｈｏｓｔ",
    "loc\xadalhost",
    "local\u200dhost",
    "loca\u200bhost",
    "ʟocalhost",
    "ℓocalhost",
    "localhosﬅ",
    "localhoſt",
    "LOCALHOŚT",
    "localhost\u3002",
    "𝓁ocalhost",
)
"""Hosts that lead, or could lead, here; some of them are simply wrong, and must be refused all the same."""

WHOLE = (
    *_each("""
    http://a@127.0.0.1:{p}/ http://a:b@127.0.0.1:{p}/ http://@127.0.0.1:{p}/ http://:@127.0.0.1:{p}/
    http://example.org@127.0.0.1:{p}/ http://example.org:80@127.0.0.1:{p}/ http://a@b@127.0.0.1:{p}/
    http://example.org%40127.0.0.1:{p}/ http://example.org%2f@127.0.0.1:{p}/
    http://127.0.0.1%2523@127.0.0.1:{p}/ http://127.0.0.1:{p}#@example.org/
    http://127.0.0.1:{p}?@example.org/ http://127.0.0.1:{p};@example.org/
    http://127.0.0.1:{p},example.org/ http://#@127.0.0.1:{p}/ http://?@127.0.0.1:{p}/
    http://127.0.0.1#:{p}/ http://example.org#@127.0.0.1:{p} //127.0.0.1:{p}/ 127.0.0.1:{p}
    http:127.0.0.1:{p} http:/127.0.0.1:{p}/ http:///127.0.0.1:{p}/ http:////127.0.0.1:{p}/
    http//127.0.0.1:{p}/ ://127.0.0.1:{p}/ HTTP://127.0.0.1:{p}/ hTTp://[::1]:{p}/
    url:http://127.0.0.1:{p}/ view-source:http://127.0.0.1:{p}/ jar:http://127.0.0.1:{p}!/
    blob:http://127.0.0.1:{p}/ ftp://127.0.0.1:{p}/ gopher://127.0.0.1:{p}/_GET
    dict://127.0.0.1:{p}/x ldap://127.0.0.1:{p}/ tftp://127.0.0.1:{p}/ file:///etc/passwd
    file://127.0.0.1/etc/passwd data:text/html,hello javascript:alert(1) unix:///tmp/x
    ws://127.0.0.1:{p}/ sftp://127.0.0.1:{p}/ netdoc:///etc/passwd phar://x expect://id
    http+unix://127.0.0.1:{p}/ about:blank http://127.0.0.1:0{p}/ http://127.0.0.1:+{p}/
    http://127.0.0.1:{p}:80/ http://127.0.0.1:80:{p}/ http://127.0.0.1:{p}.0/ http://127.0.0.1:0x50/
    http://127.0.0.1:/ http://127.0.0.1:99999/ http://127.0.0.1:-1/ http:// https:// http://:{p}/
    http://.:{p}/ http://..:{p}/ http://./ http://-:{p}/ http://{p}/
    """),
    "http://a\\@127.0.0.1:{p}/",
    "http://example.org\\@127.0.0.1:{p}/",
    "http://127.0.0.1:{p}\\@example.org/",
    "http://127.0.0.1:{p}\\.example.org/",
    "http:\\\\127.0.0.1:{p}\\",
    "http:/\\127.0.0.1:{p}/",
    "http:\\/127.0.0.1:{p}/",
    "\\\\127.0.0.1:{p}\\x",
    "http://127.0.0.1:{p} example.org/",
    " http://127.0.0.1:{p}/",
    "http://127.0.0.1:{p}/ ",
    "http://127.0.0.1\t:{p}/",
    "ht\ttp://127.0.0.1:{p}/",
    "http://127.0.\n0.1:{p}/",
    "http://\r\n127.0.0.1:{p}/",
    "http://127.0.0.1:{p}/\r\nHost: x",
    "\x00http://127.0.0.1:{p}/",
    "http://127.0.0.1\x00.example.org:{p}/",
    "http://\u202e127.0.0.1:{p}/",
    "http://\ufeff127.0.0.1:{p}/",
    "http://127.0.0.1\x0b:{p}/",
    "http://127.0.0.1\u2028:{p}/",
    "http://\x7f127.0.0.1:{p}/",
    "http://127.0.0.1: {p}/",
    "http://127.0.0.1:８０/",
    "",
    "http:// /",
)
"""The same with tricks around the host: who is it, what is the scheme, where does it end? `{p}` is the port."""

LEADING_IN = (
    *_each("""
    127.0.0.1 127.255.255.255 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255
    192.168.0.1 192.168.255.255 100.64.0.1 100.127.255.255 100.100.100.200 169.254.169.254
    169.254.0.1 168.63.129.16 192.0.0.1 192.0.0.192 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1
    198.19.255.255 192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.254 255.255.255.255
    ::1 :: ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1
    64:ff9b::a00:1 64:ff9b:1::808:808 2002:7f00:1:: 2002:808:808::1 2001::1
    2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 3fff::1 fc00::1
    fd00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fe80::1%lo fec0::1 ff02::1 ff0e::1 100::1 4000::1
    5f00::1 8000::1 1::1
    """),
)
"""Addresses that a name must not lead to."""

PUBLIC = (
    *_each("""
    8.8.8.8 1.1.1.1 93.184.216.34 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 9.255.255.255
    11.0.0.0 192.167.255.255 192.169.0.0 169.253.255.255 169.255.0.0 198.17.255.255 198.20.0.0
    126.255.255.255 128.0.0.0 223.255.255.255 192.0.1.0 192.0.3.0 203.0.112.255 203.0.114.0 1.0.0.0
    2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450::1 2001:200::1 2003::1 3ffe::1
    64:ff9b::808:808
    """),
)
"""Addresses that anybody may reach, many of them just beside one that nobody may."""


def urls(port: int) -> list[str]:
    """Every form as a URL at that port."""
    hosts = [f"http://{host}:{port}/" for host in LOOPBACK]
    secure = [f"https://{host}:{port}/x?y=z" for host in LOOPBACK if host.isascii()]
    numbers = [f"[{each}]" if ":" in each else each for each in LEADING_IN]
    literal = [f"http://{each}:{port}/" for each in numbers]
    return [*hosts, *secure, *literal, *(each.replace("{p}", str(port)) for each in WHOLE)]
