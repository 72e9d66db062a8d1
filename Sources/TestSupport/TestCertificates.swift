/// Certificates and keys for tests, in PEM. They are not secret, because nothing trusts them.
package enum TestCertificates {
    /// The key of `certificate`, `expiredCertificate` and `futureCertificate`.
    package static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgv0uRxhZj7HvUDtt8
        UbiUv+EfvzbcO4xeo10a0rYU1vmhRANCAATRSqa2aaOehPxh40QeH2/whqXLv9G2
        UEg2y6IFcK2FG62C0gK2hjuRaRLVzyvhvI0WI/iGnUqxP2ogcJc1E6Sh
        -----END PRIVATE KEY-----

        """

    /// The key of `otherCertificate`.
    package static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgy7wOW7XHmbrk4iUS
        iBDJbv/2QT2w2o9n9RtkMHavja6hRANCAAQdB0dF7KybxMlJ0sMmlgi55WnOecl7
        tOEFkDGys+76WudyeN89qKZyzWeYq9ap/v8IcHNnkaWB0X7uqAas0y+b
        -----END PRIVATE KEY-----

        """

    /// `key`, encrypted with a passphrase.
    package static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBAffJGTdfz7h/mAE6F5
        hIJTAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQt73ixTvJ9uyprNYL
        +U62IgSBkMVg1JlDRhwACCAa5nnrob6mpBPd/DVJuheurbpKOIKePpK7pLR5zfTN
        6iydELFO43eBgpqN0YAhOGJmVFCYm1m2SPPKnQQQ1Qr6/THGx2Y/uCT+2jNgv7Yi
        LfpbrxaXDJRCqKe6hhMkFw6thizXcGBKeU0NcrevHzmGiZ/TEojKOTEBNGGVEKRV
        +B0fk6uQmQ==
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// A certificate for localhost and 127.0.0.1, valid from 2020 to 2119.
    package static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBRjCB7qADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
        dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
        bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE0UqmtmmjnoT8YeNE
        Hh9v8Ialy7/RtlBINsuiBXCthRutgtICtoY7kWkS1c8r4byNFiP4hp1KsT9qIHCX
        NROkoaMvMC0wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQF
        MAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgXRHwD+35Wljt18p49tjlUZmDfP3IKoZv
        z5JTO7LLtcUCIE7/7newGeUDeoUM4Q7SsQu6FnGRQEZfU/liADpDCCLL
        -----END CERTIFICATE-----

        """

    /// A certificate that was valid in 2020.
    package static let expiredCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBRDCB7KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
        dDAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxv
        Y2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNFKprZpo56E/GHjRB4f
        b/CGpcu/0bZQSDbLogVwrYUbrYLSAraGO5FpEtXPK+G8jRYj+IadSrE/aiBwlzUT
        pKGjLzAtMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8EBTAD
        AQH/MAoGCCqGSM49BAMCA0cAMEQCICStHs4RBGx3O4bQbcLtTEeCGeeNjz4CR6/q
        lwCZbB7jAiAa8eQLKWzZzA1UGrpvNdF+1UxGQa3kQiqVOlQ4dSZgUQ==
        -----END CERTIFICATE-----

        """

    /// A certificate that will be valid in 2119.
    package static let futureCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBSTCB8KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
        dDAiGA8yMTE5MDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAUMRIwEAYDVQQD
        DAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATRSqa2aaOehPxh
        40QeH2/whqXLv9G2UEg2y6IFcK2FG62C0gK2hjuRaRLVzyvhvI0WI/iGnUqxP2og
        cJc1E6Shoy8wLTAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwDwYDVR0TAQH/
        BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAeWav8Iqj+KyVji3cJSxqqyhd4QRPn
        j3o9LR52VIdCowIhAN4ib0aMSx7LlVwnTTyBQIUvv3mx42cnAepDuYvdPLC9
        -----END CERTIFICATE-----

        """

    /// A certificate for another key, with the validity of `certificate`.
    package static let otherCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBSDCB7qADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWF1dGhvcml0
        eTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
        YXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHQdHReysm8TJSdLD
        JpYIueVpznnJe7ThBZAxsrPu+lrncnjfPaimcs1nmKvWqf7/CHBzZ5GlgdF+7qgG
        rNMvm6MvMC0wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQF
        MAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAIqRgE9O5do3Ccgq3QyfOwzLExqI+p02
        qAjAvhAuOIgJAiEA8Mph1Bkd5J3BDfOBGXuMAURzkxFnZrY1DRNwHc6Wuaw=
        -----END CERTIFICATE-----

        """
}
